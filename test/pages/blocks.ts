import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** A code block of a page. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  /** Behind the language: the file that the block was taken from, or is to be written to. */
  readonly file: string;
  readonly text: string;
}

/** Every page that shows users how something is done. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...namesIn('docs', /\.md$/).map((name) => `docs/${name}`),
  ...namesIn('packages', /./).map((name) => `packages/${name}/README.md`),
];

function namesIn(folder: string, pattern: RegExp): string[] {
  const names = readdirSync(join(ROOT, folder), { withFileTypes: true });
  const isWanted = folder === 'docs' ? 'isFile' : 'isDirectory';
  return names
    .filter((each) => each[isWanted]() && pattern.test(each.name))
    .map(({ name }) => name);
}

export function pageText(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

export function blocksOf(page: string, text: string = pageText(page)): Block[] {
  const found = [...text.matchAll(/^```(\S*)(?: (\S+))?\n([\s\S]*?)^```$/gm)];
  return found.map(({ index, 1: language = '', 2: file = '', 3: code = '' }) => {
    const line = text.slice(0, index).split('\n').length;
    return { page, line, language, file, text: code };
  });
}

export const BLOCKS: readonly Block[] = PAGES.flatMap((page) => blocksOf(page));
