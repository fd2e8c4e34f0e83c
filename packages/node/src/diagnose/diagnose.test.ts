import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectGarbage, processorMsUntil } from '../../../../tools/testing/processor-time.ts';
import { cordonWorker, diagnoseTask, submitRuns } from '../operations/index.ts';
import {
  bytes,
  caller,
  HOLD,
  SILENT,
  SmallNode,
  SUCCEED,
} from '../operations/testing/small-node.ts';
import { DIAGNOSIS_REASONS } from './reasons.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
  await node.define('mail');
});
afterEach(() => node.stop());

/** Every finding says what is the matter, and what would change it. */
const why = async (id: string, task = 'main') => {
  const found = await diagnoseTask(node.context, caller(), { id: `${id}:${task}` });
  expect(found.detail).toMatch(/\w+ .+/);
  expect(found.suggestion, found.reason).toMatch(/\w+ .+/);
  return found;
};

async function settled(): Promise<void> {
  await node.context.loop.flushed();
  await node.context.loop.flushed();
}

describe('API-09 OBS-01 the one constraint that binds', () => {
  it('WAITING_UPSTREAM names the parents, their states and for how long they run', async () => {
    const tasks = [
      { name: 'a', handler: 'graph', expectedDuration: 9_000 },
      { name: 'b', handler: 'nobody' },
      { name: 'c', handler: 'graph', after: ['a', 'b'] },
    ];
    await node.define('graph', { tasks });
    node.attach('w', HOLD);
    const id = await node.submit({ job: 'graph' });
    await node.arrived(1);
    await settled();
    const found = await why(id, 'c');
    expect(found).toMatchObject({ state: 'PENDING', reason: 'WAITING_UPSTREAM' });
    expect(found.detail).toMatch(
      /^The task waits for 2 tasks: a \(RUNNING for \d+ ms\), b \(QUEUED\)\.$/,
    );
    expect(found.numbers).toMatchObject({
      open: 2,
      upstream: [
        { name: 'a', expectedMs: 9_000 },
        { name: 'b', runningForMs: null },
      ],
    });
    expect(await why(id, 'a')).toMatchObject({ reason: 'RUNNING', numbers: { worker: 'w' } });
  });

  it('WAITING_UNTIL tells a due time, near or far, and a retry with its last error', async () => {
    const near = await node.submit({ job: 'mail', delay: 60_000 });
    expect(await why(near)).toMatchObject({ state: 'PENDING', reason: 'WAITING_UNTIL' });
    const far = await node.submit({ job: 'mail', delay: 86_400_000 });
    expect((await why(far)).detail).toContain('in 24.0 h');
    node.attach('w', () => ({ kind: 'failed', error: 'no route', class: 'transient' }));
    const id = await node.submit({ job: 'mail' });
    await node.arrived(1);
    await settled();
    const found = await why(id);
    expect(found).toMatchObject({ reason: 'WAITING_UNTIL', numbers: { attempts: 1 } });
    expect(found.detail).toContain('no route');
  });

  it('WAITING_ACCEPT names the worker that has not answered', async () => {
    node.attach('w', SILENT);
    const id = await node.submit({ job: 'mail' });
    await node.arrived(1);
    const found = await why(id);
    expect(found).toMatchObject({
      state: 'ASSIGNED',
      reason: 'WAITING_ACCEPT',
      numbers: { worker: 'w', attempt: 1, acceptMs: 30_000 },
    });
  });

  it('WAITING_OWNER for a submission in the inbox, PRIORITY_QUEUE_WAIT for a run in the store', async () => {
    await node.stop();
    const { context } = SmallNode.idle({ disk: node.disk });
    const [alias] = await submitRuns(context, caller(), { items: [{ job: 'mail' }] });
    const inbox = diagnoseTask(context, caller(), { id: `${alias?.id}:main` });
    expect(await inbox).toMatchObject({ reason: 'WAITING_OWNER' });
    node = await SmallNode.start({ engine: { queueWindow: 5, pageSize: 2 } });
    await node.define('mail');
    let last = '';
    for (let i = 0; i < 12; i++) last = await node.submit({ job: 'mail' });
    expect(await why(last)).toMatchObject({
      state: 'QUEUED',
      reason: 'PRIORITY_QUEUE_WAIT',
      numbers: { queuedInMemory: 5, parked: 7 },
    });
  });

  it('ENDED tells how', async () => {
    node.attach('w', SUCCEED);
    const id = await node.submit({ job: 'mail' });
    await node.arrived(1);
    await settled();
    expect(await why(id)).toMatchObject({ state: 'SUCCEEDED', reason: 'ENDED' });
  });

  it('NO_WORKER_ATTACHED, NO_WORKER_OFFERS, REQUEST_TOO_LARGE and WORKERS_NOT_AVAILABLE', async () => {
    const plain = await node.submit({ job: 'mail' });
    expect(await why(plain)).toMatchObject({ reason: 'NO_WORKER_ATTACHED' });
    node.attach('elsewhere', HOLD, { zone: 'b' });
    node.attach('other', HOLD, { executors: ['handler:other'] });
    await node.define('zoned', { tasks: [{ handler: 'mail', zone: 'a' }] });
    const zoned = await node.submit({ job: 'zoned' });
    await settled();
    const found = await why(zoned);
    expect(found).toMatchObject({
      reason: 'NO_WORKER_OFFERS',
      numbers: { workers: 2, excluded: { ZONE_MISMATCH: 1, NO_EXECUTOR: 1 } },
    });
    expect(found.suggestion).toBe(
      'Start a suitable worker: signalbox worker --jobs jobs.ts --zone a (jobs.ts: the module with the handler mail)',
    );
    await node.define('large', { tasks: [{ handler: 'mail', resources: { gpu: 4 } }] });
    expect(await why(await node.submit({ job: 'large' }))).toMatchObject({
      reason: 'REQUEST_TOO_LARGE',
    });
    const operator = caller({ platform: true });
    await cordonWorker(node.context, operator, { name: 'elsewhere' });
    const waits = await node.submit({ job: 'mail' });
    await settled();
    expect(await why(waits)).toMatchObject({
      reason: 'WORKERS_NOT_AVAILABLE',
      numbers: { notAvailable: 1 },
    });
  });

  it('NO_WORKER_CAPACITY for the first in line, PRIORITY_QUEUE_WAIT for those behind it', async () => {
    node.attach('w', HOLD, { total: { slots: 1 } });
    await node.submit({ job: 'mail' });
    await node.arrived(1);
    const second = await node.submit({ job: 'mail' });
    const third = await node.submit({ job: 'mail' });
    await settled();
    expect(await why(second)).toMatchObject({
      reason: 'NO_WORKER_CAPACITY',
      numbers: { nearestFree: { slots: 0 }, missing: [{ what: 'slots', by: 1 }] },
    });
    await node.submit({ job: 'mail', priority: 'P0' });
    await settled();
    expect(await why(third)).toMatchObject({
      reason: 'PRIORITY_QUEUE_WAIT',
      numbers: { position: 3, ahead: { P0: 1, P1: 1, P2: 0 } },
    });
    expect(await why(second)).toMatchObject({ numbers: { position: 2 } });
  });

  it('TENANT_OVER_QUOTA with its numbers, not for P0', async () => {
    node.attach('w', HOLD);
    const { loop } = node.context;
    await loop.execute({ kind: 'setTenant', tenant: 'acme', weight: 1, runningMax: 1 });
    await node.submit({ job: 'mail' });
    await node.arrived(1);
    const second = await node.submit({ job: 'mail' });
    await settled();
    expect(await why(second)).toMatchObject({
      reason: 'TENANT_OVER_QUOTA',
      numbers: { running: 1, maxRunning: 1 },
    });
    // The suggested change starts it.
    await loop.execute({ kind: 'setTenant', tenant: 'acme', weight: 1, runningMax: 2 });
    await node.arrived(2);
  });

  it('KEPT_APART when something it must not meet runs everywhere', async () => {
    node.attach('w', HOLD);
    await node.submit({ job: 'mail' });
    await node.arrived(1);
    await node.define('shy', { tasks: [{ handler: 'mail', antiAffinity: ['mail'] }] });
    const id = await node.submit({ job: 'shy' });
    await settled();
    expect(await why(id)).toMatchObject({ reason: 'KEPT_APART' });
  });

  it('STORE_AWAY and PAUSED_BY_PRESSURE', async () => {
    node.attach('w', HOLD, { total: { slots: 1 } });
    await node.submit({ job: 'mail' });
    await node.arrived(1);
    const low = await node.submit({ job: 'mail', priority: 'P2' });
    const { core } = node.context.loop.engine;
    core.pauseFrom = 2;
    expect(await why(low)).toMatchObject({ reason: 'PAUSED_BY_PRESSURE' });
    core.pauseFrom = 0;
    expect(await why(low)).toMatchObject({ reason: 'STORE_AWAY' });
  });

  it('says of a foreign or absent task only that it is not there', async () => {
    const id = await node.submit({ job: 'mail', inputBytes: bytes('x') });
    await expect(
      diagnoseTask(node.context, caller({ tenant: 'other' }), { id: `${id}:main` }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await expect(why(id, 'nothing')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('diagnosis', () => {
  it('OBS-01 takes less than 100 ms with 100,000 queued tasks and 1,000 workers', async () => {
    await node.stop();
    node = await SmallNode.start({ engine: { queueWindow: 200_000, classWindow: 500_000 } });
    await node.define('mail');
    for (let i = 0; i < 1_000; i++) {
      node.attach(`w${i}`, HOLD, { zone: `z${i % 7}`, total: { slots: 1 } });
    }
    let last = '';
    for (let batch = 0; batch < 102; batch++) {
      const items = Array.from({ length: 1_000 }, () => ({ job: 'mail' }));
      const submitted = await submitRuns(node.context, caller(), { items });
      last = submitted.at(-1)?.id ?? '';
    }
    await settled();
    collectGarbage();
    for (let i = 0; i < 10; i++) {
      const tookMs = await processorMsUntil(async () => {
        expect(await why(last)).toMatchObject({
          reason: 'PRIORITY_QUEUE_WAIT',
          numbers: { position: 101_000 },
        });
      });
      expect(tookMs).toBeLessThan(100);
    }
  }, 60_000);

  it('docs/diagnosis.md lists every reason with its meaning', () => {
    const text = readFileSync(new URL('../../../../docs/diagnosis.md', import.meta.url), 'utf8');
    const rows = [...text.matchAll(/^\| `([A-Z_]+)` \| (.+) \|$/gm)];
    expect(Object.fromEntries(rows.map(([, code, meaning]) => [code, meaning]))).toEqual(
      DIAGNOSIS_REASONS,
    );
  });
});
