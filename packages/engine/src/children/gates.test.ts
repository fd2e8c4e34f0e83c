import { describe, expect, it } from 'vitest';
import { parseDetail } from '../facts/detail.ts';
import type { FailurePolicy, StepDefinition } from '../model/graph-spec.ts';
import type { Attempt } from '../model/run.ts';
import { formatRunId } from '../model/run-id.ts';
import type { RunState } from '../model/states.ts';
import { Recorded } from '../testing/recorded.ts';
import type { GraphPorts } from './ports.ts';

const POLICIES: readonly FailurePolicy[] = [
  'FAIL_FAST',
  'FAIL_AFTER_ALL',
  'SKIP_FAILED',
  'CONTINUE',
  'PAUSE',
];

/** An approval that has been asked for; two tasks stand behind it, one after the other. */
function asked(failurePolicy: FailurePolicy, approval: NonNullable<StepDefinition['approval']>) {
  const h = new Recorded();
  h.addWorker({ total: { slots: 4 } });
  h.submit({
    graph: { failurePolicy },
    tasks: [
      { name: 'a' },
      { name: 'gate', after: ['a'], approval },
      { name: 'behind', after: ['gate'] },
      { name: 'further', after: ['behind'], ifParentSkipped: 'run' },
    ],
  });
  h.succeed(h.acceptAll()[0] as Attempt);
  h.flush();
  const run = h.run(1);
  return { h, run, began: () => h.factsOf('taskAssigned').map(({ task }) => task) };
}

const reject = (h: Recorded) =>
  h.apply({
    kind: 'approve',
    partition: 0,
    seq: 1,
    task: 1,
    decision: 'reject',
    by: 'ann',
    comment: '',
  });

describe.each(POLICIES)('EXT-16 a gate under %s', (policy) => {
  it.each([
    ['is rejected', {}, reject],
    ['is rejected by default', { timeoutMs: 1_000, default: 'reject' }, null],
    ['is not decided in time', { timeoutMs: 1_000 }, null],
  ] as const)('lets nothing behind it begin where it %s', (_how, approval, act) => {
    const { h, run, began } = asked(policy, approval);
    if (act === null) h.advance(1_000);
    else act(h);
    h.flush();
    h.acceptAll();
    expect(began()).toEqual([0]);
    if (policy === 'PAUSE') {
      expect(run.state).toBe('PAUSED');
      return;
    }
    expect(run.tasks.slice(2).map(({ state }) => state)).toEqual(['CANCELLED', 'CANCELLED']);
    const isPartial = policy === 'SKIP_FAILED' || policy === 'CONTINUE';
    expect(run.state).toBe(isPartial ? 'PARTIAL' : 'FAILED');
  });

  it('lets what is behind it begin where it says so', () => {
    const { h, run, began } = asked(policy, { onReject: 'continue' });
    reject(h);
    h.flush();
    h.takeOver({ checkpoint: h.saveCheckpoint() });
    h.addWorker({ total: { slots: 4 } });
    h.succeed(h.acceptAll()[0] as Attempt);
    h.flush();
    h.takeOver();
    h.addWorker({ total: { slots: 4 } });
    const live = h.run(1);
    h.succeed(h.acceptAll()[0] as Attempt);
    expect(began()).toEqual([0, 2, 3]);
    expect(run.tasks[1]?.error).toBe('rejected by ann');
    expect(live.tasks.map(({ state }) => state)).toEqual([
      'SUCCEEDED',
      'FAILED',
      'SUCCEEDED',
      'SUCCEEDED',
    ]);
    const isPartial = policy === 'SKIP_FAILED' || policy === 'CONTINUE';
    expect(live.state).toBe(isPartial ? 'PARTIAL' : 'FAILED');
  });
});

describe.each(POLICIES)('EXT-16 a gate whose condition cannot be evaluated, under %s', (policy) => {
  it('fails as a condition does, also where a rejection would let what is behind it begin', () => {
    const graphPorts: GraphPorts = {
      judge: () => ({ error: 'no such key: warnings' }),
      reads: () => ({ input: false, tasks: false }),
      readAddition: () => ({ error: 'nothing is added here' }),
    };
    const h = new Recorded({ graphPorts });
    h.addWorker({ total: { slots: 4 } });
    const approval = { onReject: 'continue' as const };
    h.submit({
      graph: { failurePolicy: policy },
      tasks: [
        { name: 'a' },
        { name: 'gate', after: ['a'], when: 'tasks.a.output.warnings == 0', approval },
        { name: 'behind', after: ['gate'] },
      ],
    });
    const run = h.run(1);
    h.succeed(h.acceptAll()[0] as Attempt);
    h.flush();
    expect(h.acceptAll()).toEqual([]);
    if (policy === 'PAUSE') expect(run.state).toBe('PAUSED');
    else expect(run.tasks.slice(1).map(({ state }) => state)).toEqual(['FAILED', 'CANCELLED']);
  });
});

/** A task that stands for a run, an approval of which was not given; two tasks stand behind it. */
function nesting(failurePolicy: FailurePolicy, onReject?: 'continue') {
  const h = new Recorded();
  h.addWorker({ total: { slots: 4 } });
  h.submit({
    graph: { failurePolicy },
    tasks: [
      { name: 'a' },
      { name: 'n', after: ['a'], run: { job: 'inner', ...(onReject && { onReject }) } },
      { name: 'behind', after: ['n'] },
      { name: 'further', after: ['behind'], ifParentSkipped: 'run' },
    ],
  });
  h.succeed(h.acceptAll()[0] as Attempt);
  h.flush();
  const since = h.run(1).tasks[1]?.part?.waitsSince ?? 0;
  const end = (state: RunState) => {
    const of = { partition: 0, seq: 1, task: 1, since, run: 'r' };
    const error = ': gate: rejected by ann';
    h.apply({ kind: 'nestedEnded', ...of, state, isGateClosed: true, error, output: null });
    h.flush();
  };
  return { h, end };
}

describe.each(POLICIES)('EXT-16 a gate of a nested run under %s', (policy) => {
  it.each(['PARTIAL', 'FAILED'] as const)('holds up the outer run where it ends as %s', (state) => {
    const { h, end } = nesting(policy);
    end(state);
    if (policy === 'PAUSE') {
      expect(h.run(1).state).toBe('PAUSED');
      return;
    }
    expect(h.acceptAll()).toEqual([]);
    const ended = h.factsOf('runEnded').at(-1);
    const detail = parseDetail(ended?.detail as string, 0);
    expect(detail.tasks.map((task) => task.state)).toEqual([
      'SUCCEEDED',
      'FAILED',
      'CANCELLED',
      'CANCELLED',
    ]);
    expect(detail.tasks[1]).toMatchObject({
      failedBy: 'nested_rejected',
      error: `the run r ended as ${state}: gate: rejected by ann`,
    });
  });

  it('counts by its state alone where the task says so', () => {
    const { h, end } = nesting(policy, 'continue');
    end('PARTIAL');
    expect(h.acceptAll().map(({ task }) => task.index)).toEqual([2]);
  });
});

describe('EXT-16 the end of a nested run', () => {
  const head = { key: 'k', nested: { of: '', task: 'n', index: 1, since: 5 } };
  it.each([
    ['stop', 'reject', true],
    ['stop', 'approve', false],
    ['continue', 'reject', false],
  ] as const)(
    'says whether a gate of it stayed closed: %s, %s',
    (onReject, byDefault, isGateClosed) => {
      const h = new Recorded();
      const of = formatRunId({ ms: 1, partition: 7, seq: 3 });
      const approval = { timeoutMs: 1_000, default: byDefault, onReject };
      const tasks = [
        { name: 'gate', approval },
        { name: 'z', sleep: { forMs: 2_000 } },
      ];
      const graph = { failurePolicy: 'CONTINUE' as const };
      h.submit({ job: 'inner', head: { ...head, nested: { ...head.nested, of } }, graph, tasks });
      h.advance(1_000);
      h.advance(1_000);
      const said = h.engine.core.words.map(({ saying }) => saying);
      expect(said).toMatchObject([{ kind: 'nestedEnded', isGateClosed }]);
    },
  );

  it('says so of a gate that is nested deeper', () => {
    const h = new Recorded();
    const of = formatRunId({ ms: 1, partition: 7, seq: 3 });
    const tasks = [
      { name: 'n', run: { job: 'deeper' } },
      { name: 'z', sleep: { forMs: 2_000 } },
    ];
    const graph = { failurePolicy: 'CONTINUE' as const };
    h.submit({ job: 'inner', head: { ...head, nested: { ...head.nested, of } }, graph, tasks });
    h.flush();
    const since = h.run(1).tasks[0]?.part?.waitsSince ?? 0;
    const wait = { partition: 0, seq: 1, task: 0, since, run: 'r', error: '', output: null };
    h.apply({ kind: 'nestedEnded', ...wait, state: 'PARTIAL', isGateClosed: true });
    h.takeOver({ checkpoint: h.saveCheckpoint() });
    h.advance(2_000);
    const said = h.engine.core.words.map(({ saying }) => saying);
    expect(said).toMatchObject([{ kind: 'nestedEnded', state: 'PARTIAL', isGateClosed: true }]);
  });
});

describe('EXT-16 a gate', () => {
  it('stays closed for a task that has other parents, read from a checkpoint', () => {
    const h = new Recorded();
    h.addWorker({ total: { slots: 4 } });
    h.submit({
      graph: { failurePolicy: 'SKIP_FAILED' },
      tasks: [
        { name: 'slow' },
        { name: 'gate', approval: { timeoutMs: 1_000 } },
        { name: 'join', after: ['slow', 'gate'] },
      ],
    });
    const [slow] = h.acceptAll();
    h.advance(1_000);
    h.flush();
    expect(h.run(1).tasks[1]?.state).toBe('TIMED_OUT');
    const held = h.heldBy('w1');
    h.takeOver({ checkpoint: h.saveCheckpoint() });
    h.addWorker({ total: { slots: 4 }, holds: held });
    const run = h.run(1);
    h.succeed(run.tasks[0]?.attempt as Attempt);
    expect(slow?.task.index).toBe(0);
    expect(run.tasks[2]?.state).toBe('CANCELLED');
    expect(run.state).toBe('PARTIAL');
  });
});
