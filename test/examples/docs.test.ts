import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

interface Block {
  readonly line: number;
  readonly language: string;
  readonly file: string;
  readonly text: readonly string[];
}

/** Code blocks of a page. Behind the language stands the file that the block was taken from. */
function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let open: { line: number; info: string; text: string[] } | null = null;
  for (const [i, line] of page.split('\n').entries()) {
    if (open === null && line.startsWith('```'))
      open = { line: i + 1, info: line.slice(3), text: [] };
    else if (open !== null && line === '```') {
      const [language = '', file = ''] = open.info.split(' ');
      blocks.push({ line: open.line, language, file, text: open.text });
      open = null;
    } else open?.text.push(line);
  }
  return blocks;
}

/** Whether the lines stand there one behind the other, however far they are indented. */
function holds(source: string, lines: readonly string[]): boolean {
  const trimmed = (all: readonly string[]) => all.map((line) => line.trim()).join('\n');
  return `\n${trimmed(source.split('\n'))}\n`.includes(`\n${trimmed(lines)}\n`);
}

describe('docs/sdk.md', async () => {
  const blocks = blocksOf(await readFile(resolve(ROOT, 'docs/sdk.md'), 'utf8'));
  const code = blocks.filter(({ language }) => language === 'ts');

  it('has code', () => {
    expect(code.length).toBeGreaterThan(10);
  });

  it.each(code)('line $line shows code of $file as it stands there', async ({ file, text }) => {
    expect(file).toMatch(/^examples\/.*\.ts$/);
    const source = await readFile(resolve(ROOT, file), 'utf8');
    expect(holds(source, text), text.join('\n')).toBe(true);
  });
});

describe('docs/pipelines.md', async () => {
  const blocks = blocksOf(await readFile(resolve(ROOT, 'docs/pipelines.md'), 'utf8'));
  const code = blocks.filter(({ language }) => language === 'ts' || language === 'yaml');

  it('has code in both languages', () => {
    expect(new Set(code.map(({ language }) => language))).toEqual(new Set(['ts', 'yaml']));
  });

  it.each(code)('line $line shows what stands in $file', async ({ file, text }) => {
    expect(file).toMatch(/^examples\/.*\.(ts|yaml)$/);
    const source = await readFile(resolve(ROOT, file), 'utf8');
    expect(holds(source, text), text.join('\n')).toBe(true);
  });
});
