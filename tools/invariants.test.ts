import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name === 'node_modules') return [];
    if (entry.isDirectory()) return files(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}

const sources = (folder: string) => files(folder).filter((file) => !file.endsWith('.test.ts'));

function listed(): Set<string> {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  return new Set([...page.matchAll(/^\| (I\d+) \|/gm)].map((match) => match[1] as string));
}

/** Also of `it.each(…)`, whose title follows a closing parenthesis. */
const TITLE =
  /(?:\b(?:it|test|describe|describePostgres)|\))\s*\(\s*(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1/g;

function titlesIn(text: string): string[] {
  return [...text.matchAll(TITLE)].map((match) => match[2] as string);
}

const idsIn = (text: string): string[] => text.match(/\bI\d+\b/g) ?? [];

describe('the invariants', () => {
  it('that the code enforces are the ones that the architecture page lists', () => {
    expect(listed().size).toBeGreaterThan(0);
    const enforced = sources(join(root, 'packages/engine/src')).flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      return [...text.matchAll(/invariant\([^;]*?'(I\d+)'/g)].map((match) => match[1]);
    });
    expect(enforced.length).toBeGreaterThan(5);
    expect([...new Set(enforced)].filter((id) => !listed().has(id ?? ''))).toEqual([]);
  });

  it('are each cited where the code enforces them', () => {
    const cited = new Set(
      ['packages', 'sim'].flatMap((folder) =>
        sources(join(root, folder))
          .filter((file) => !file.includes('/testing/'))
          .flatMap((file) => idsIn(readFileSync(file, 'utf8'))),
      ),
    );
    expect([...listed()].filter((id) => !cited.has(id))).toEqual([]);
  });

  it('are each cited in the title of a test', () => {
    const tests = ['packages', 'sim', 'test'].flatMap((folder) =>
      files(join(root, folder)).filter((file) => /\.test\.ts$|-suite\.ts$/.test(file)),
    );
    const cited = new Set(
      tests.flatMap((file) => titlesIn(readFileSync(file, 'utf8')).flatMap(idsIn)),
    );
    expect([...listed()].filter((id) => !cited.has(id))).toEqual([]);
    // I18 is not in the table: the page says why.
    expect([...cited].filter((id) => !listed().has(id))).toEqual(['I18']);
  });

  it('are found in titles only', () => {
    const text =
      "it('I3 ends once', () => {});\nit.each([\n  1,\n])(\n  'I4 %s', () => x('I5'));\n// I6";
    expect(titlesIn(text).flatMap(idsIn)).toEqual(['I3', 'I4']);
  });

  it('name files that exist', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    const rows = page.split('\n').filter((line) => /^\| I\d+ \|/.test(line));
    const existing = sources(join(root, 'packages'));
    for (const row of rows) {
      for (const [, name] of row.matchAll(/`((?:node\/)?[a-z-]+\/[a-z-]+(?:\/[a-z-]+)*\.ts)`/g)) {
        const path = name?.replace(/^node\/loop/, 'node/src/loop') ?? '';
        expect(
          existing.some((file) => file.endsWith(`/${path}`)),
          name,
        ).toBe(true);
      }
    }
  });
});
