import { describe, expect, it } from 'vitest';
import { parseDetail } from '../facts/detail.ts';
import { decodeText, encodeText } from '../facts/text.ts';
import type { StepDefinition } from '../model/graph-spec.ts';
import type { Attempt } from '../model/run.ts';
import { Recorded } from '../testing/recorded.ts';
import type { GraphPorts } from './ports.ts';

const PORTS: GraphPorts = {
  judge: (expression, { event }) => {
    if (expression === 'broken') return { error: 'broken' };
    return { value: event !== undefined && decodeText(event).includes(expression) };
  },
  reads: () => ({ input: false, tasks: false }),
  readAddition: () => ({ error: 'nothing is added here' }),
};

/** A wait between two tasks of a worker; it has begun. */
function waiting(step: StepDefinition) {
  const h = new Recorded({ graphPorts: PORTS });
  h.addWorker({ total: { slots: 1 } });
  const tasks = [
    { name: 'a' },
    { name: 'wait', after: ['a'], ...step },
    { name: 'b', after: ['wait'] },
  ];
  h.submit({ tasks });
  h.succeed(h.acceptAll()[0] as Attempt);
  h.flush();
  const wait = () => h.run(1).tasks[1];
  return { h, wait };
}

const approve = (h: Recorded, decision: 'approve' | 'reject', comment = '') =>
  h.apply({ kind: 'approve', partition: 0, seq: 1, task: 1, decision, by: 'ann', comment });
const event = (h: Recorded, type: string, data: string) =>
  h.apply({
    kind: 'event',
    partition: 0,
    tenant: 'acme',
    type,
    key: data,
    event: encodeText(data),
  });

describe('EXT-16 a wait', () => {
  it.each([
    ['sleep', { sleep: { forMs: 3_600_000 } }],
    ['approval', { approval: {} }],
    ['event', { event: { type: 'paid' } }],
    ['run', { run: { job: 'other' } }],
  ])(
    'for %s holds no worker and survives take-overs, with and without a checkpoint',
    (_kind, step) => {
      const { h, wait } = waiting(step);
      expect(wait()).toMatchObject({ state: 'PENDING', attempts: 0 });
      expect(h.live()).toEqual([]);
      expect(h.worker('w1').free.slots).toBe(1);
      const dueAt = wait()?.dueAt;
      h.takeOver();
      h.takeOver({ checkpoint: h.saveCheckpoint() });
      h.advance(60_000);
      expect(wait()).toMatchObject({ state: 'PENDING', dueAt });
      expect(h.factsOf('taskWaiting')).toHaveLength(1);
    },
  );

  it.each([
    ['sleep', { sleep: { forMs: 60_000 } }, (h) => h.advance(60_000)],
    ['approval', { approval: {} }, (h) => void approve(h, 'approve')],
    ['event', { event: { type: 'paid' } }, (h) => void event(h, 'paid', '{"id":7}')],
    [
      'run',
      { run: { job: 'other' } },
      (h) => {
        const since = h.run(1).tasks[1]?.part?.waitsSince ?? 0;
        const of = { partition: 0, seq: 1, task: 1, since, run: 'r', error: '', output: null };
        h.apply({ kind: 'nestedEnded', ...of, state: 'SUCCEEDED', isGateClosed: false });
      },
    ],
    [
      'approval with a time',
      { approval: { timeoutMs: 60_000, default: 'approve' } },
      (h) => h.advance(60_000),
    ],
    [
      'event with a time',
      { event: { type: 'never', timeoutMs: 60_000, default: 'succeed' } },
      (h) => h.advance(60_000),
    ],
  ] satisfies [string, StepDefinition, (h: Recorded) => void][])(
    'U015 for %s is woken after take-overs by something other than itself, and the run goes on',
    (_kind, step, wake) => {
      const { h, wait } = waiting(step);
      h.takeOver();
      h.takeOver({ checkpoint: h.saveCheckpoint() });
      expect(wait()?.state).toBe('PENDING');
      wake(h);
      h.flush();
      expect(wait()?.state).toBe('SUCCEEDED');
      expect(h.run(1).tasks[2]?.state).toBe('QUEUED');
    },
  );

  it('is the beginning of a run that waits first, from when until when is kept', () => {
    const h = new Recorded({ graphPorts: PORTS });
    h.addWorker({ total: { slots: 1 } });
    const from = h.now;
    const run = h.submit({
      tasks: [
        { name: 'night', sleep: { forMs: 60_000 } },
        { name: 'b', after: ['night'] },
      ],
    });
    expect(run.state).toBe('RUNNING');
    h.flush();
    h.takeOver({ checkpoint: h.saveCheckpoint() });
    expect(h.run(1).state).toBe('RUNNING');
    h.addWorker({ total: { slots: 1 } });
    h.advance(60_000);
    const wait = { waitsSince: from, waitedUntil: from + 60_000 };
    expect(h.run(1).tasks[0]?.part).toMatchObject(wait);
    h.flush();
    h.takeOver({ checkpoint: h.saveCheckpoint() });
    expect(h.run(1).tasks[0]?.part).toMatchObject(wait);
    h.addWorker({ total: { slots: 1 } });
    h.succeed(h.acceptAll()[0] as Attempt);
    h.flush();
    const [ended] = h.factsOf('runEnded');
    const { tasks } = parseDetail(ended?.detail ?? '', ended?.ms ?? 0);
    expect(tasks.map(({ wait }) => wait)).toEqual([{ from, until: from + 60_000 }, undefined]);
  });

  it('a sleep ends when its time is up, counted from when it began', () => {
    const { h, wait } = waiting({ sleep: { forMs: 3_600_000 } });
    h.advance(3_000_000);
    h.takeOver();
    h.advance(599_999);
    expect(wait()?.state).toBe('PENDING');
    h.advance(1);
    expect(wait()?.state).toBe('SUCCEEDED');
  });

  it('a sleep until an instant that has passed is none', () => {
    const { wait } = waiting({ sleep: { until: 1 } });
    expect(wait()?.state).toBe('SUCCEEDED');
  });

  it('an approval tells who, when and why; a second decision is refused', () => {
    const { h, wait } = waiting({ approval: { message: 'Go?' } });
    expect(approve(h, 'approve', 'looks good')).toEqual({ kind: 'done' });
    h.flush();
    expect(wait()?.state).toBe('SUCCEEDED');
    expect(JSON.parse(decodeText(wait()?.output as Uint8Array))).toEqual({
      decision: 'approve',
      by: 'ann',
      atMs: h.now,
      comment: 'looks good',
    });
    expect(approve(h, 'reject')).toMatchObject({ kind: 'refused', code: 'invalid' });
    expect(h.run(1).state).toBe('RUNNING');
  });

  it('a rejection fails the task', () => {
    const { h } = waiting({ approval: {} });
    const run = h.run(1);
    approve(h, 'reject', 'not today');
    expect(run.tasks[1]).toMatchObject({ state: 'FAILED', error: 'rejected by ann: not today' });
    expect(run.state).toBe('FAILED');
  });

  it.each([
    [{ approval: { timeoutMs: 1_000 } }, 'TIMED_OUT'],
    [{ approval: { timeoutMs: 1_000, default: 'approve' } }, 'SUCCEEDED'],
    [{ approval: { timeoutMs: 1_000, default: 'reject' } }, 'FAILED'],
    [{ event: { type: 'paid', timeoutMs: 1_000 } }, 'TIMED_OUT'],
    [{ event: { type: 'paid', timeoutMs: 1_000, default: 'succeed' } }, 'SUCCEEDED'],
    [{ event: { type: 'paid', timeoutMs: 1_000, default: 'skip' } }, 'SKIPPED'],
  ] as const)('%j that nobody answers ends as %s', (step, state) => {
    const { h } = waiting(step as StepDefinition);
    const [, wait] = h.run(1).tasks;
    h.takeOver();
    h.advance(999);
    expect(h.run(1).tasks[1]?.state).toBe('PENDING');
    const run = h.run(1);
    h.advance(1);
    expect(run.tasks[1]?.state).toBe(state);
    expect(wait?.state).toBe('PENDING');
  });

  it('an event goes to whoever waits for its type and whose filter it passes, and is the output', () => {
    const { h, wait } = waiting({ event: { type: 'paid', when: '"id":7' } });
    event(h, 'refunded', '{"id":7}');
    event(h, 'paid', '{"id":8}');
    expect(wait()?.state).toBe('PENDING');
    h.takeOver();
    event(h, 'paid', '{"id":7}');
    expect(wait()?.state).toBe('SUCCEEDED');
    expect(decodeText(wait()?.output as Uint8Array)).toBe('{"id":7}');
  });

  it('a filter that cannot be evaluated lets nothing through, and the wait goes on', () => {
    const { h, wait } = waiting({ event: { type: 'paid', when: 'broken' } });
    event(h, 'paid', '{}');
    expect(wait()?.state).toBe('PENDING');
  });
});
