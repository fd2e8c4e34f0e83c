import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles } from '../../tools/files.ts';
import { ROOT } from './blocks.ts';

const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

/** The rows of the tables of a section, each as its cells. */
function rowsOf(heading: string): string[][] {
  const [, rest = ''] = page.split(`\n## ${heading}\n`);
  const [section = ''] = rest.split('\n## ');
  const lines = section.split('\n').filter((line) => line.startsWith('| ') && !/^\|-/.test(line));
  return lines
    .slice(1)
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
}

const codesIn = (text = ''): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

function isExported(name: string, text: string): boolean {
  const declared = `export (?:async )?(?:function\\*?|const|class|interface|type) ${name}\\b`;
  return new RegExp(`^${declared}`, 'm').test(text);
}

describe('the walk of one task in docs/architecture.md', () => {
  const walk = rowsOf('The walk of one task');

  it('goes from the request to the history', () => {
    expect(walk.length).toBeGreaterThan(20);
    expect(codesIn(walk[0]?.[1])).toEqual(['packages/node/src/api/routes/runs.ts']);
  });

  it.each(walk)('%s', (_step, files, names) => {
    const paths = codesIn(files);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const texts = paths.map((path) => readFileSync(join(ROOT, path), 'utf8'));
    const missing = codesIn(names).filter((name) => !texts.some((text) => isExported(name, text)));
    expect(missing).toEqual([]);
    const idle = paths.filter(
      (_, i) => !codesIn(names).some((name) => isExported(name, texts[i] ?? '')),
    );
    expect(idle).toEqual([]);
  });
});

describe('the files in docs/architecture.md', () => {
  const files = listFiles('');
  /** Later files of a cell are named relative to the folder or the package of the first. */
  const isThere = (path: string): boolean =>
    files.some((file) =>
      path.endsWith('/') ? `/${file}`.includes(`/${path}`) : `/${file}`.endsWith(`/${path}`),
    );
  const rows = ['Code layout', 'Where to find things'].flatMap(rowsOf);
  const paths = rows.map((cells) => ({
    topic: cells[0] ?? '',
    named: codesIn(cells.join(' ')).filter((code) => /^[\w./-]+(?:\.ts|\/)$/.test(code)),
  }));

  it.each(paths)('exist: $topic', ({ named }) => {
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });
});
