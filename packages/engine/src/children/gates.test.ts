import { describe, expect, it } from 'vitest';
import type { FailurePolicy, StepDefinition } from '../model/graph-spec.ts';
import type { Attempt } from '../model/run.ts';
import { Recorded } from '../testing/recorded.ts';

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
