import { describe, expect, it } from 'vitest';
import { renderPage } from './page.ts';
import { countTests } from './report.ts';
import { claimProblems, compareRows, rowIds } from './rows.ts';

// Ids are put together at run time: a literal one in a title would count as shown.
const id = (letters: string, number: string): string => `${letters}-${number}`;
const first = id('AAA', '01');
const second = id('BBB', '02');

const test = (title: string, status = 'passed', file = 'sim/x.test.ts') => ({
  file,
  title,
  status,
});

describe('rows', () => {
  it('are named in a title, several if need be', () => {
    expect(rowIds(`${first} ${second} ${'U'}047 ends once`)).toEqual([first, second, 'U047']);
    expect(rowIds('UTF-8 and SHA-256 are not rows')).toEqual([]);
  });

  it('are shown by a test that passed unless another failed', () => {
    const claims = { [first]: 'one', [second]: 'two' };
    const rows = compareRows(claims, [
      test(`${first} holds`),
      test(`${second} holds`),
      test(`${second} holds under load`, 'failed'),
    ]);
    expect(rows.shown).toEqual({ [first]: [`sim/x.test.ts › ${first} holds`] });
    expect(rows.missing).toEqual([second]);
  });

  it('are not shown by a skipped test', () => {
    expect(compareRows({ [first]: 'one' }, [test(first, 'skipped')]).missing).toEqual([first]);
  });

  it('are claimed by a proper id, in order, with words', () => {
    expect(claimProblems({ [first]: 'one', [second]: 'two' })).toEqual([]);
    expect(claimProblems({ [second]: ' ', [first]: 'one', other: 'x' })).toHaveLength(3);
  });
});

describe('the page', () => {
  it('is the same for the same tests in any order', () => {
    const claims = { [first]: 'ends once | always' };
    const tests = [1, 2, 3, 4, 5].map((seed) => test(`${first} seed ${seed}`));
    const page = renderPage(claims, compareRows(claims, tests));
    expect(renderPage(claims, compareRows(claims, tests.toReversed()))).toBe(page);
    expect(page).toContain(
      `| ${first} | ends once \\| always | \`sim/x.test.ts\`: seed 1; seed 2; seed 3; … |`,
    );
  });
});

describe('the count', () => {
  it('takes a file that does not load for a failure', () => {
    const report = {
      startTime: 0,
      numPassedTests: 1,
      numFailedTests: 0,
      numPendingTests: 1,
      numTodoTests: 1,
      testResults: [{ name: 'sim/x.test.ts', status: 'failed', assertionResults: [] }],
    };
    expect(countTests(report)).toEqual({ passed: 1, failed: 1, skipped: 2 });
  });
});
