import { afterEach, describe, expect, it } from 'vitest';
import { buildAssign, buildRef } from './testing/fake-node.ts';
import { obedient, startWorker, stopWorkers } from './testing/start-worker.ts';
import type { WorkerEvent } from './worker-options.ts';

afterEach(stopWorkers);

describe('a watcher of a worker', () => {
  it('is told once of an attempt that failed, with run, job, task, attempt and error', async () => {
    const events: WorkerEvent[] = [];
    const { node } = await startWorker(
      () => {
        throw new Error('no route');
      },
      { onEvent: (event) => void events.push(event) },
    );
    const assign = buildAssign(1, { job: 'invoice', task: 'load' });
    node.send(assign);
    await node.next('finish');
    const failed = events.filter(({ kind }) => kind === 'failed');
    expect(failed).toEqual([
      {
        kind: 'failed',
        why: 'failed',
        id: expect.any(String),
        run: expect.any(String),
        tenant: 'acme',
        job: 'invoice',
        task: 'load',
        attempt: 1,
        error: expect.stringContaining('no route'),
      },
    ]);
    const moved = events.find(({ kind }) => kind === 'attempt');
    expect(moved).toMatchObject({ run: expect.any(String), job: 'invoice', task: 'load' });
  });

  it('is told of one that ran past its time, and not of one that was cancelled', async () => {
    const events: WorkerEvent[] = [];
    const { node } = await startWorker(obedient, { onEvent: (event) => void events.push(event) });
    node.send(buildAssign(1), buildAssign(2));
    await node.until(() => node.accepted.length === 2);
    node.send({ kind: 'abort', ref: buildRef(1), graceMs: 1_000, why: 'timeout' });
    node.send({ kind: 'abort', ref: buildRef(2), graceMs: 1_000, why: 'cancelled' });
    await node.next('finish', 2);
    const failed = events.filter(({ kind }) => kind === 'failed');
    expect(failed).toMatchObject([
      { why: 'timeout', attempt: 1, error: 'the attempt exceeded its timeout' },
    ]);
  });
});
