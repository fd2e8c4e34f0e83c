import { formatRunId } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import type { Dump, DumpedAttempt, DumpedRun } from '../dump.ts';
import type { Execution, Fault, RunStreamed, Shown, Streamed, Submitted } from '../history.ts';
import { judgeAcknowledgements } from './acknowledgements.ts';
import { judgeCancellations } from './cancellations.ts';
import { judgeRunStreams, judgeStreams, unwatched } from './event-streams.ts';
import { judgeExecutions } from './executions.ts';
import { judgeExits } from './exits.ts';
import { judgeRequests } from './requests.ts';
import { judgeViews } from './views.ts';
import { judgeWindows } from './windows.ts';
import { judgeWorkers } from './workers.ts';

function acknowledged(over: Partial<Acknowledged> = {}): Acknowledged {
  const flags = { created: true, pending: false };
  return { kind: 'acknowledged', id: 'r1', job: 'plain', ...flags, ...over };
}

type Acknowledged = Submitted['answer'] & { kind: 'acknowledged' };

function submitted(over: Partial<Submitted> = {}): Submitted {
  return {
    ...{ tenant: 'acme', job: 'plain', key: null, unique: null, input: { submission: 's1' } },
    ...{ isOfBatch: false, request: null, invokedAt: 1_000, answeredAt: 1_010 },
    answer: acknowledged({ job: over.job ?? 'plain' }),
    ...over,
  };
}

function attempt(number: number, over: Partial<DumpedAttempt> = {}): DumpedAttempt {
  const endedAt = new Date(2_000).toISOString();
  return { id: `r1:main:${number}`, worker: 'w', endedAt, outcome: 'lost', ...over };
}

function run(over: Partial<DumpedRun> = {}): DumpedRun {
  return {
    ...{ id: 'r1', tenant: 'acme', job: 'plain', state: 'SUCCEEDED', trigger: 'api' },
    ...{ submittedMs: 1_005, endedMs: 2_000, window: null, isNested: false, submission: 's1' },
    tasks: [{ state: 'SUCCEEDED', attempts: [attempt(1, { outcome: 'succeeded' })] }],
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

const again = acknowledged({ created: false });
const pending = acknowledged({ created: false, pending: true });
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
    const skipped = acknowledged({ ...alone, created: false });
    const overlap = [submitted(alone), submitted({ ...alone, input: second, answer: skipped })];
    expect(judged(overlap, [run(alone)])).toEqual([]);
  });

  it('accepts a key that stays with a live run after its end, and another job in a batch', () => {
    const unique = { unique: 'u' };
    const claimed = submitted({ ...unique, key: 'k', input: second, answer: again });
    const later = { invokedAt: 9_000, answeredAt: 9_010 };
    expect(judged([submitted(unique), claimed, { ...claimed, ...later }], [run()])).toEqual([]);
    const other = { job: 'other', key: 'k', input: second, answer: again };
    const keyed = submitted({ key: 'k' });
    expect(judged([keyed, submitted({ ...other, isOfBatch: true })], [run()])).toEqual([]);
    expect(judged([keyed, submitted(other)], [run()])).toHaveLength(1);
  });

  it('judges submissions of a request under a key by their place', () => {
    const at = (place: number) => ({ isOfBatch: true, request: { key: 'q', place } });
    const first = submitted(at(0));
    expect(judged([first, submitted({ ...at(0), input: second, answer: again })], [run()])).toEqual(
      [],
    );
    const elsewhere = submitted({ ...at(1), input: second, answer: again });
    expect(judged([first, elsewhere], [run()])).toHaveLength(1);
    const twice = submitted({ ...at(0), input: second, answer: acknowledged({ id: 'r2' }) });
    expect(judged([first, twice], [run(), run({ id: 'r2', submission: 's2' })])).not.toEqual([]);
  });

  it('accepts a pending submission as a run of its own, or as one that lived after it', () => {
    const waiting = submitted({ unique: 'u', answer: pending });
    expect(judged([waiting], [run()])).toEqual([]);
    const first = submitted({ unique: 'u', input: second });
    const late = run({ submission: 's2', submittedMs: 8_000, endedMs: 9_000 });
    expect(judged([waiting, first], [late])).toEqual([]);
    const before = run({ submission: 's2', submittedMs: -9_000, endedMs: -8_000 });
    expect(judged([waiting, first], [before])).toHaveLength(1);
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
      [submitted({ answer: { kind: 'refused', status: 409, code: 'idempotency_conflict' } })],
      [run()],
    ],
    ['one submission with two runs', [submitted()], [run(), run({ id: 'r2' })]],
    [
      'one key with two runs',
      [
        submitted({ key: 'k' }),
        submitted({ key: 'k', input: second, answer: acknowledged({ id: 'r2' }) }),
      ],
      [run(), run({ id: 'r2', submission: 's2' })],
    ],
    [
      'a key that is answered with one run and then with another',
      [
        ...[submitted({ unique: 'u', key: 'k' }), submitted({ unique: 'u', input: second })],
        submitted({ unique: 'u', key: 'k', answer: { ...again, id: 'r2' } }),
      ],
      [run(), run({ id: 'r2', submission: 's2' })],
    ],
  ])('catches %s', (_what, submissions, runs) => {
    expect(judged(submissions, runs)).not.toEqual([]);
  });
});

describe('the other judges', () => {
  const started: Execution = {
    ...{ kind: 'start', run: 'r1', attempt: 'r1:main:1', job: 'plain', tenant: 'acme' },
    ...{ submission: 's1', nonce: 'n1', worker: 'w', at: 1_100 },
  };
  const succeeded: Execution = { ...started, kind: 'succeeded' };

  it('catch an attempt that ran twice, never, or with another output', () => {
    expect(judgeExecutions([started, succeeded], [run()], [])).toEqual([]);
    expect(judgeExecutions([started, started, succeeded], [run()], [])).toHaveLength(1);
    expect(judgeExecutions([], [run()], [])).toHaveLength(2);
    expect(judgeExecutions([started, succeeded], [run({ outputNonce: 'n2' })], [])).toHaveLength(1);
  });

  it('catch an attempt that begins after its task has succeeded, unless its worker was paused', () => {
    const attempts = [attempt(1), attempt(2, { outcome: 'succeeded' })];
    const runs = [run({ outputNonce: null, tasks: [{ state: 'SUCCEEDED', attempts }] })];
    const newer = { ...started, attempt: 'r1:main:2' };
    const late = { ...started, at: 9_000 };
    expect(judgeExecutions([started, newer], runs, [])).toEqual([]);
    expect(judgeExecutions([late, newer], runs, [])).toHaveLength(1);
    const pause = { what: 'worker.pause', target: 'w', from: 1_500, until: 8_990 };
    expect(judgeExecutions([late, newer], runs, [pause])).toEqual([]);
    expect(judgeExecutions([late, newer], runs, [{ ...pause, target: 'v' }])).toHaveLength(1);
  });

  it('catch a cancelled run that fails, or succeeds after its grace', () => {
    const cancelled = [{ tenant: 'acme', id: 'r1', answeredAt: 1_500 }];
    const params = { faults: [], graceMs: 1_000 };
    const judge = (over: Partial<DumpedRun>, faults: Fault[] = []): string[] => {
      return judgeCancellations(cancelled, [run(over)], { ...params, faults });
    };
    expect(judge({})).toEqual([]);
    expect(judge({ state: 'CANCELLED', endedMs: 90_000 })).toEqual([]);
    expect(judge({ state: 'FAILED' })).toHaveLength(1);
    expect(judge({ endedMs: 20_000 })).toHaveLength(1);
    const pause = { what: 'node.pause', target: 'node-1', from: 1_000, until: 9_000 };
    expect(judge({ endedMs: 20_000 }, [pause])).toEqual([]);
    expect(judgeCancellations(cancelled, [], params)).toHaveLength(1);
  });

  it('catch an end that a stream sends never, twice or otherwise than it is', () => {
    const id = formatRunId({ ms: 1_005, partition: 3, seq: 9 });
    const end = { run: id, state: 'SUCCEEDED' };
    const judge = (ends: Streamed['ends'], resets = 0): string[] => {
      const partitions = new Set([3]);
      return judgeStreams([{ tenant: 'acme', partitions, ends, resets }], [run({ id })]);
    };
    expect(judge([end])).toEqual([]);
    expect(judge([])).toHaveLength(1);
    expect(judge([], 1)).toEqual([]);
    expect(judge([end, end])).toHaveLength(1);
    expect(judge([{ ...end, state: 'FAILED' }])).toHaveLength(1);
  });

  it('owe only the ends of partitions that a stream began with, which have to be all', () => {
    const id = formatRunId({ ms: 1_005, partition: 4, seq: 9 });
    const stream = { tenant: 'acme', partitions: new Set([3]), ends: [], resets: 0 };
    expect(judgeStreams([stream], [run({ id })])).toEqual([]);
    expect(unwatched([stream, { ...stream, partitions: new Set([4]) }], 2)).toEqual([]);
    expect(unwatched([stream], 2)).toHaveLength(1);
  });

  it('catch the stream of a run that does not end, ends otherwise, or sends an event again', () => {
    const good: RunStreamed = {
      ...{ tenant: 'acme', id: 'r1', began: 'PENDING', ends: ['SUCCEEDED'], ids: ['1', '2'] },
      ...{ resets: 0, isOver: true },
    };
    const judge = (over: Partial<RunStreamed>) => judgeRunStreams([{ ...good, ...over }], [run()]);
    expect(judge({})).toEqual([]);
    expect(judge({ began: 'SUCCEEDED', ends: [] })).toEqual([]);
    expect(judge({ isOver: false })).toHaveLength(1);
    expect(judge({ ends: [] })).toHaveLength(1);
    expect(judge({ ends: ['FAILED'] })).toHaveLength(1);
    expect(judge({ ids: ['1', '1'] })).toHaveLength(1);
  });

  it('catch requests of other content that are acknowledged under one key', () => {
    const item = { job: 'plain', key: null, unique: null };
    const sent = { tenant: 'acme', key: 'k', items: [item], isAcknowledged: true };
    expect(judgeRequests([sent, sent])).toEqual([]);
    const other = { ...sent, items: [item, item] };
    expect(judgeRequests([sent, other])).toHaveLength(1);
    expect(judgeRequests([sent, { ...other, isAcknowledged: false }])).toEqual([]);
    const own = { ...other, items: [{ ...item, key: 'a' }] };
    expect(judgeRequests([sent, own])).toEqual([]);
  });

  it('catch a process that ends by itself', () => {
    expect(judgeExits([{ name: 'node-1', exits: [] }])).toEqual([]);
    expect(judgeExits([{ name: 'node-1', exits: [3_000] }])).toHaveLength(1);
  });

  it('catch a worker that is idle and has lost a slot, or is not attached', () => {
    const idle = { node: 'node-1', name: 'w', status: 'healthy', attempts: 0 };
    expect(judgeWorkers([{ ...idle, slots: 8, freeSlots: 8 }])).toEqual([]);
    expect(judgeWorkers([{ ...idle, slots: 8, freeSlots: 7 }])).toHaveLength(1);
    expect(judgeWorkers([{ ...idle, status: 'suspect', slots: 8, freeSlots: 8 }])).toHaveLength(1);
  });

  it('catch a run that is shown going backwards, or with another end', () => {
    const view = (state: string, invokedAt: number, node = 'node-1'): Shown => {
      const times = { invokedAt, answeredAt: invokedAt + 5, endedAt: null };
      return { node, tenant: 'acme', id: 'r1', state, tasks: [], ...times };
    };
    const seen = [view('PENDING', 1), view('RUNNING', 10), view('SUCCEEDED', 20)];
    expect(judgeViews(seen, [run()])).toEqual([]);
    expect(judgeViews([...seen, view('RUNNING', 30)], [run()])).toHaveLength(1);
    expect(judgeViews([...seen, view('RUNNING', 300, 'node-2')], [run()])).toEqual([]);
    expect(judgeViews([...seen, view('RUNNING', 3_000, 'node-2')], [run()])).toHaveLength(1);
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
