import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './blocks.ts';

const FOLDER = join(ROOT, 'docs/adr');
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');

/** Each record as the index has to list it: number and title, and the file. */
function records(): string[] {
  const names = readdirSync(FOLDER).filter((name) => name !== 'README.md');
  return names.map((name) => `[${read(name).split('\n')[0]?.replace('# ', '')}](${name})`).sort();
}

it('the index lists every decision once, by subject, with its title', () => {
  const sections = read('README.md').split(/^## /m).slice(1);
  expect(sections.length).toBeGreaterThan(5);
  const listed = sections.flatMap((section) => section.match(/(?<=^- ).+$/gm) ?? []);
  expect(listed.toSorted()).toEqual(records());
  for (const section of sections) {
    const own = section.match(/(?<=^- ).+$/gm) ?? [];
    expect(own).toEqual(own.toSorted());
  }
});

it('the number of a decision is the number of its file', () => {
  const wrong = records().filter((record) => !/^\[(\d{4}) .+\]\(\1-[a-z0-9-]+\.md\)$/.test(record));
  expect(wrong).toEqual([]);
});
