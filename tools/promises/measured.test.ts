import { describe, expect, it } from 'vitest';
import { measurementProblem } from './measured.ts';
import { renderPage } from './page.ts';
import { compareRows } from './rows.ts';

const page = `# Performance

## Core

\`npm run bench:core\` measures.

| figure | measured | target | reached | day |
|---|---|---|---|---|
| One decision, ms | 0.04 | < 1 | yes | today |
| Lives per second | 3 | ≥ 4 | **no** | today |
| Bytes | 3 | stated |  | today |

## API and command

| figure | measured | target | reached |
|---|---|---|---|
| Elsewhere, ms | 1 | < 2 | yes |
`;
const sources = {
  scripts: { 'bench:core': 'run', 'bench:edge': 'run' },
  readPage: (path: string) => (path === 'docs/performance.md' ? page : null),
};
const good = {
  command: 'bench:core',
  section: 'docs/performance.md#core',
  figure: 'One decision, ms',
};

describe('a recorded measurement', () => {
  it('counts if its command exists, the section names it and the figure is reached', () => {
    expect(measurementProblem(good, sources)).toBeNull();
  });

  it.each([
    ['an unknown command', { command: 'bench:none' }, 'no script bench:none'],
    ['an unknown page', { section: 'docs/none.md#core' }, 'no page docs/none.md'],
    ['an unknown heading', { section: 'docs/performance.md#none' }, 'no heading #none'],
    [
      'a section that does not name the command',
      { section: 'docs/performance.md#api-and-command' },
      'does not name npm run bench:core',
    ],
    ['a figure of another section', { figure: 'Elsewhere, ms' }, 'no figure "Elsewhere, ms"'],
    ['a figure below its target', { figure: 'Lives per second' }, 'is not reached'],
    ['a figure without a target', { figure: 'Bytes' }, 'is not reached'],
  ])('does not count with %s', (_case, wrong, problem) => {
    expect(measurementProblem({ ...good, ...wrong }, sources)).toContain(problem);
  });

  it('shows a row without a test, is on the page, and is overruled by a failed test', () => {
    // The id is put together at run time: a literal id in a title would count as shown.
    const id = ['AAA', '01'].join('-');
    const claims = { [id]: 'Decides fast.' };
    const measured = { [id]: [good] };
    const rows = compareRows(claims, [], measured);
    expect(rows.missing).toEqual([]);
    expect(compareRows(claims, []).missing).toEqual([id]);
    expect(renderPage(claims, rows, measured)).toContain(
      `| ${id} | Decides fast. | [\`npm run bench:core\`](performance.md#core): One decision, ms |`,
    );
    const failed = [{ file: 'x.test.ts', title: `${id} decides`, status: 'failed' }];
    expect(compareRows(claims, failed, measured).missing).toEqual([id]);
  });
});
