import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  cancelRun,
  getRun,
  pauseJob,
  pauseRun,
  resumeJob,
  saveSchedule,
  scheduleTimeline,
  triggerSchedule,
} from '../index.ts';
import { caller, HOLD, SILENT, SmallNode, SUCCEED } from '../testing/small-node.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
});
afterEach(() => node.stop());

const view = (id: string) => getRun(node.context, caller(), { id });

describe('a paused job', () => {
  it('ADM-01 starts no run: not by hand, not by a schedule; what was accepted before goes on', async () => {
    await node.define('mail');
    const before = await node.submit({ job: 'mail' });
    await pauseJob(node.context, caller(), { name: 'mail' });
    await expect(node.submit({ job: 'mail' })).rejects.toMatchObject({ code: 'job_paused' });
    await saveSchedule(node.context, caller(), {
      name: 'once',
      definition: { job: 'mail', runAt: new Date(Date.now() - 1_000).toISOString() },
    });
    const byHand = triggerSchedule(node.context, caller(), { name: 'once' });
    await expect(byHand).rejects.toMatchObject({ code: 'job_paused' });
    const windows = async () =>
      (await scheduleTimeline(node.context, caller(), { name: 'once' })).items;
    await expect.poll(windows).toMatchObject([{ state: 'skipped', reason: 'job_paused' }]);
    node.attach('w', SUCCEED);
    expect((await getRun(node.context, caller(), { id: before, waitMs: 5_000 })).state).toBe(
      'SUCCEEDED',
    );
    expect(node.attempts).toHaveLength(1);
    await resumeJob(node.context, caller(), { name: 'mail' });
    const after = await node.submit({ job: 'mail' });
    expect((await getRun(node.context, caller(), { id: after, waitMs: 5_000 })).state).toBe(
      'SUCCEEDED',
    );
  });
});

/** How a run comes to each state that is not terminal, and what its task shows there. */
const STATES: [string, () => Promise<string>, { run: string; task: string }][] = [
  [
    'waiting for its time',
    () => node.submit({ job: 'mail', delay: '1h' }),
    { run: 'PENDING', task: 'PENDING' },
  ],
  [
    'queued, without a worker',
    () => node.submit({ job: 'mail' }),
    { run: 'PENDING', task: 'QUEUED' },
  ],
  [
    'assigned',
    async () => {
      node.attach('w', SILENT);
      const id = await node.submit({ job: 'mail' });
      await node.arrived(1);
      return id;
    },
    { run: 'RUNNING', task: 'ASSIGNED' },
  ],
  [
    'running',
    async () => {
      node.attach('w', HOLD);
      const id = await node.submit({ job: 'mail' });
      await node.arrived(1);
      return id;
    },
    { run: 'RUNNING', task: 'RUNNING' },
  ],
  [
    'waiting for its next attempt',
    async () => {
      node.attach('w', () => ({ kind: 'failed', error: 'later', class: 'transient' }));
      const id = await node.submit({ job: 'mail' });
      await node.arrived(1);
      return id;
    },
    { run: 'RUNNING', task: 'PENDING' },
  ],
  [
    'paused',
    async () => {
      const id = await node.submit({ job: 'mail' });
      await pauseRun(node.context, caller(), { id });
      return id;
    },
    { run: 'PAUSED', task: 'PENDING' },
  ],
  ['waiting for a person', () => node.submit({ job: 'asks' }), { run: 'RUNNING', task: 'PENDING' }],
];

describe('cancelling a run', () => {
  it.each(STATES)(
    'ADM-01 that is %s ends it as CANCELLED, once',
    async (_name, reach, expected) => {
      await node.define('mail');
      await node.define('asks', { tasks: [{ name: 'ask', approval: { message: 'Go?' } }] });
      const id = await reach();
      await expect
        .poll(async () => {
          const { state, tasks } = await view(id);
          return { run: state, task: tasks[0]?.state };
        })
        .toEqual(expected);
      const answer = await cancelRun(node.context, caller(), { id, reason: 'not needed' });
      // A worker that has the attempt is told to stop first, and says that it did.
      const attempt = node.attempts.at(-1);
      if (attempt !== undefined && expected.task !== 'PENDING') {
        node.finish(attempt, { kind: 'stopped' });
      }
      expect(answer.id).toBe(id);
      expect((await getRun(node.context, caller(), { id, waitMs: 5_000 })).state).toBe('CANCELLED');
      const again = cancelRun(node.context, caller(), { id });
      await expect(again).rejects.toMatchObject({ code: 'not_running' });
    },
  );
});
