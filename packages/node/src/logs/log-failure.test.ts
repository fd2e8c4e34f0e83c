import { hostname } from 'node:os';
import { inProcessTransport, Worker } from '@signalbox/worker';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { defineJob, getRun, submitRuns } from '../operations/index.ts';
import { caller } from '../operations/testing/small-node.ts';
import { type RunningNode, startNode } from '../start-node.ts';

interface Line {
  readonly event?: string;
}

let node: RunningNode;
let worker: Worker;
afterEach(async () => {
  await worker.stop({ graceMs: 0 });
  await node.stop();
});

describe('the log of a node', () => {
  it('has one line for each attempt that failed, with run, job, task, attempt and error', async () => {
    const lines: Line[] = [];
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
    node = await startNode({ store: 'memory:', http: false, log });
    await node.ready();
    worker = new Worker({
      name: 'w',
      transport: inProcessTransport({ open: (peer) => node.gateway.open(peer) }),
      handlers: {
        load: () => {
          throw new Error('no route');
        },
      },
    });
    await worker.start();
    const retry = { maxAttempts: 2, backoff: [1] };
    const tasks = [{ name: 'load', handler: 'load', retry }];
    await defineJob(node.context, caller(), { name: 'import', definition: { tasks } });
    const [run] = await submitRuns(node.context, caller(), { items: [{ job: 'import' }] });
    const id = run?.id ?? '';
    await getRun(node.context, caller(), { id, waitMs: 20_000 });
    const about = { tenant: 'acme', run: id, job: 'import', task: 'load', worker: 'w' };
    const error = expect.stringContaining('no route');
    const failed = lines.filter(({ event }) => event?.startsWith('attempt.'));
    expect(failed).toMatchObject([
      { event: 'attempt.failed', ...about, attempt: 1, error, retryAt: expect.any(String) },
      { event: 'attempt.failed', ...about, attempt: 2, error },
    ]);
    expect(failed).toHaveLength(2);
  });

  it('names a node after its host, each one differently', async () => {
    const log = pino({ level: 'silent' });
    node = await startNode({ store: 'memory:', http: false, log });
    const other = await startNode({ store: 'memory:', http: false, log });
    worker = new Worker({
      name: 'w',
      transport: inProcessTransport({ open: (peer) => node.gateway.open(peer) }),
      handlers: {},
    });
    const names = [node.context.name, other.context.name];
    await other.stop();
    const host = hostname().replace(/[^A-Za-z0-9._-]/g, '-');
    for (const name of names) expect(name).toMatch(new RegExp(`^${host}-[0-9a-f]{8}$`));
    expect(names[0]).not.toBe(names[1]);
  });
});
