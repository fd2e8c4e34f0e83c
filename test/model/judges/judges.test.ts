import { describe, expect, it } from 'vitest';
import type { Dump, DumpedRun } from '../dump.ts';
import type { Evidence, Shown, Submitted } from '../history.ts';
import { judgeAcknowledgements } from './acknowledgements.ts';
import { judgeExecutions } from './executions.ts';
import { judgeViews } from './views.ts';
import { judgeWindows } from './windows.ts';

function submitted(over: Partial<Submitted> = {}): Submitted {
  return {
    ...{ tenant: 'acme', job: 'plain', key: null, unique: null, input: { submission: 's1' } },
    ...{ invokedAt: 1_000, answeredAt: 1_010 },
    answer: { kind: 'acknowledged', id: 'r1', created: true },
    ...over,
  };
}

function run(over: Partial<DumpedRun> = {}): DumpedRun {
  return {
    ...{ id: 'r1', tenant: 'acme', job: 'plain', state: 'SUCCEEDED', trigger: 'api' },
    ...{ submittedMs: 1_005, endedMs: 2_000, window: null, submission: 's1' },
    tasks: [{ state: 'SUCCEEDED', attempts: [{ id: 'r1:main:1', outcome: 'succeeded' }] }],
    outputNonce: 'n1',
    ...over,
  };
}

function dump(submissions: readonly Submitted[], runs: readonly DumpedRun[]): Dump {
  const known = new Set(runs.map(({ id }) => id));
  const resolved = new Map<Submitted, string | undefined>();
  for (const each of submissions) {
    if (each.answer.kind !== 'acknowledged') continue;
    resolved.set(each, known.has(each.answer.id) ? each.answer.id : undefined);
  }
  return { runs, resolved, windows: [] };
}

function judged(submissions: Submitted[], runs: DumpedRun[]): string[] {
  return judgeAcknowledgements(submissions, dump(submissions, runs));
}

const again = { kind: 'acknowledged', id: 'r1', created: false } as const;
const second = { submission: 's2' };

describe('the judge of acknowledgements', () => {
  it('accepts a run of its own, and true duplicates by key, unique value and overlap', () => {
    expect(judged([submitted()], [run()])).toEqual([]);
    const keyed = [submitted({ key: 'k' }), submitted({ key: 'k', input: second, answer: again })];
    expect(judged(keyed, [run()])).toEqual([]);
    const unique = { unique: 'u' };
    const live = [submitted(unique), submitted({ ...unique, input: second, answer: again })];
    expect(judged(live, [run()])).toEqual([]);
    const alone = { job: 'alone' };
    const overlap = [submitted(alone), submitted({ ...alone, input: second, answer: again })];
    expect(judged(overlap, [run(alone)])).toEqual([]);
  });

  it.each<[string, Submitted[], DumpedRun[]]>([
    ['a run that is missing', [submitted()], []],
    ['a run of another job', [submitted()], [run({ job: 'other' })]],
    ['a run of another input', [submitted()], [run({ submission: 's9' })]],
    ['one run that was created twice', [submitted(), submitted({ input: second })], [run()]],
    ['a duplicate of nothing', [submitted({ input: second, answer: again })], [run()]],
    [
      'a unique value whose run had ended',
      [
        submitted({ unique: 'u' }),
        submitted({ unique: 'u', input: second, answer: again, invokedAt: 9_000 }),
      ],
      [run()],
    ],
    [
      'a run of a submission that was refused',
      [submitted({ answer: { kind: 'refused', status: 409, code: 'conflict' } })],
      [run()],
    ],
    ['one submission with two runs', [submitted()], [run(), run({ id: 'r2' })]],
    [
      'one key with two runs',
      [
        submitted({ key: 'k' }),
        submitted({ key: 'k', input: second, answer: { ...again, id: 'r2', created: true } }),
      ],
      [run(), run({ id: 'r2', submission: 's2' })],
    ],
  ])('catches %s', (_what, submissions, runs) => {
    expect(judged(submissions, runs)).not.toEqual([]);
  });
});

describe('the other judges', () => {
  const started: Evidence = {
    ...{ kind: 'start', run: 'r1', attempt: 'r1:main:1', job: 'plain', tenant: 'acme' },
    ...{ submission: 's1', nonce: 'n1', at: 1_100 },
  };
  const succeeded: Evidence = { ...started, kind: 'succeeded' };

  it('catch an attempt that ran twice, never, or with another output', () => {
    expect(judgeExecutions([started, succeeded], [run()])).toEqual([]);
    expect(judgeExecutions([started, started, succeeded], [run()])).toHaveLength(1);
    expect(judgeExecutions([], [run()])).toHaveLength(2);
    expect(judgeExecutions([started, succeeded], [run({ outputNonce: 'n2' })])).toHaveLength(1);
  });

  it('catch a run that is shown going backwards, or with another end', () => {
    const view = (state: string, invokedAt: number): Shown => {
      return { tenant: 'acme', id: 'r1', state, invokedAt, answeredAt: invokedAt + 5 };
    };
    const seen = [view('PENDING', 1), view('RUNNING', 10), view('SUCCEEDED', 20)];
    expect(judgeViews(seen, [run()])).toEqual([]);
    expect(judgeViews([...seen, view('RUNNING', 30)], [run()])).toHaveLength(1);
    expect(judgeViews([view('RUNNING', 1), view('PENDING', 3)], [run()])).toEqual([]);
    expect(judgeViews(seen, [run({ state: 'FAILED' })])).toHaveLength(1);
  });

  it('catch a window that is missing, there twice, or without its run', () => {
    const fired = [1_000, 2_000, 3_000].map((at) => ({ at, state: 'fired' }));
    const runs = fired.map(({ at }, i) => run({ id: `r${i}`, window: at }));
    const of = { runs, resolved: new Map(), windows: fired };
    expect(judgeWindows(of, 1_000)).toEqual([]);
    const [first, middle, last] = fired as [Dump['windows'][0], ...Dump['windows']];
    expect(judgeWindows({ ...of, windows: [first, last!] }, 1_000)).not.toEqual([]);
    expect(judgeWindows({ ...of, windows: [first, first, middle!] }, 1_000)).not.toEqual([]);
    expect(judgeWindows({ ...of, runs: runs.slice(1) }, 1_000)).toHaveLength(1);
    expect(judgeWindows({ ...of, runs: [...runs, runs[0]!] }, 1_000)).toHaveLength(1);
  });
});
