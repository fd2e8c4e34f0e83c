// docs/promises.md, written from the claims and the tests that show them.
import type { Measurement } from './measured.ts';
import type { Claims, Measured, Rows } from './rows.ts';
import { rowIds } from './rows.ts';

const titlesPerFileMax = 3;

export function renderPage(claims: Claims, rows: Rows, measured: Measured = {}): string {
  const lines = rows.claimed.map((id) => {
    const figures = (measured[id] ?? []).map(measurementCell);
    const evidence = [...testCells(rows.shown[id] ?? []), ...figures].join('<br>') || 'none';
    return `| ${id} | ${cell(claims[id] ?? '')} | ${evidence} |`;
  });
  return [
    '# Promises',
    '',
    'What Signalbox promises, and the tests or recorded measurements that show it. Written by',
    '`npm run rows -- --write` from `docs/claims.json`, `docs/measured.json` and the test report;',
    '`npm test` fails if a promise has no passing test and no recorded measurement.',
    '',
    '| id | promise | shown by |',
    '|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}

/** One entry per file with its first titles: a test repeated over many seeds is one line. */
function testCells(names: readonly string[]): string[] {
  const titlesOf = new Map<string, string[]>();
  for (const name of names) {
    const [file = '', title = ''] = name.split(' › ', 2);
    titlesOf.set(file, [...(titlesOf.get(file) ?? []), withoutIds(title)]);
  }
  return [...titlesOf].map(([file, titles]) => {
    const more = titles.length > titlesPerFileMax ? '; …' : '';
    return `\`${file}\`: ${titles.slice(0, titlesPerFileMax).map(cell).join('; ')}${more}`;
  });
}

/** The page is in docs/, and so are the pages with figures. */
function measurementCell({ command, section, figure }: Measurement): string {
  return `[\`npm run ${command}\`](${section.replace('docs/', '')}): ${cell(figure)}`;
}

function withoutIds(title: string): string {
  return rowIds(title)
    .reduce((text, id) => text.replace(id, ''), title)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
