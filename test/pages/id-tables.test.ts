import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './blocks.ts';

const FOLDERS = ['packages', 'sim', 'test', 'bench', 'tools', 'examples', 'docs'];
const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

/** An encoding, and the example of an id in CONTRIBUTING.md. */
const NO_IDS: ReadonlySet<string> = new Set(['UTF-16', 'AAA-01']);

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(path);
    return /\.(?:ts|mjs|md)$/.test(entry.name) ? [path] : [];
  });
}

/** The ids of the pattern, each with a file that cites it. */
function cited(pattern: RegExp): Map<string, string> {
  // The page of promises is written from the report of a test run, and this file has examples.
  const skipped = ['docs/promises.md', 'test/pages/id-tables.test.ts'];
  const files = [...FOLDERS.flatMap(filesIn), ...PAGES].filter((file) => !skipped.includes(file));
  return new Map(
    files.flatMap((file) =>
      (read(file).match(pattern) ?? [])
        .filter((id) => !NO_IDS.has(id))
        .map((id) => [id, file] as const),
    ),
  );
}

interface Row {
  readonly id: string;
  /** The test files of the last column. */
  readonly tests: readonly string[];
  readonly hasNone: boolean;
}

function rowsOf(page: string): Row[] {
  const lines = read(page).split('\n');
  return lines
    .filter((line) => /^\| [Fh]\d+ \|/.test(line))
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim());
      const last = cells.at(-2) ?? '';
      const tests = [...last.matchAll(/`([^`]+)`/g)].map(([, file]) => file as string);
      return { id: cells[1] as string, tests, hasNone: last.startsWith('none: ') };
    });
}

/** Whether a text of the file, and not only a comment, has the id: the title of a test, or a part of one. */
function hasTest(text: string, id: string): boolean {
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  return new RegExp(`['"\`][^'"\`\\n]*\\b${id}\\b`).test(code);
}

const unknown = (ids: Map<string, string>, known: ReadonlySet<string>) =>
  [...ids].filter(([id]) => !known.has(id)).map(([id, file]) => `${id} in ${file}`);

describe('ids in code, tests and pages', () => {
  it('of rows are in docs/claims.json', () => {
    const claims = new Set(Object.keys(JSON.parse(read('docs/claims.json')) as object));
    expect(claims.size).toBeGreaterThan(100);
    expect(unknown(cited(/\b[A-Z]{3}-\d{2}\b/g), claims)).toEqual([]);
    expect(unknown(cited(/\bU\d{3}\b/g), claims)).toEqual([]);
  });

  it.each([
    ['docs/faults.md', /\bF\d{1,2}\b/g, 29],
    ['docs/hostile-inputs.md', /\bh\d{2}\b/g, 39],
  ] as const)('are in %s, each once', (page, pattern, count) => {
    const ids = rowsOf(page).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(count);
    expect(unknown(cited(pattern), new Set(ids))).toEqual([]);
  });
});

describe('the tests that a table names', () => {
  it.each(['docs/faults.md', 'docs/hostile-inputs.md'])('have the id: %s', (page) => {
    const missing = rowsOf(page).flatMap(({ id, tests }) =>
      tests.filter((file) => !hasTest(read(file), id)).map((file) => `${id}: ${file}`),
    );
    expect(missing).toEqual([]);
  });

  it('are given for each fault, or the reason why there is none', () => {
    const rows = rowsOf('docs/faults.md');
    expect(rows.filter(({ tests, hasNone }) => tests.length === 0 && !hasNone)).toEqual([]);
  });

  it('include one for each hostile input', () => {
    const inputs = filesIn('test/hostile/rows').map(read).join('\n');
    const missing = rowsOf('docs/hostile-inputs.md').filter(({ id }) => !hasTest(inputs, id));
    expect(missing).toEqual([]);
  });

  it('are not found in comments', () => {
    expect(hasTest("it('F3 is noticed', () => {});", 'F3')).toBe(true);
    expect(hasTest("  // it('F3 is noticed')\n  /** 'F3' */\n   * 'F3'\n", 'F3')).toBe(false);
    expect(hasTest("it('F31 is noticed')", 'F3')).toBe(false);
  });
});
