import type { Ref } from '@signalbox/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiWorld } from '../api/testing/api-world.ts';
import type { RefusedReport } from '../operations/audit/refused-reports.ts';
import { SocketWorld } from './testing/socket-world.ts';
import { helloOf, TestWorker } from './testing/test-worker.ts';

const refused: RefusedReport[] = [];
const gateway = { reportRefused: (report: RefusedReport) => void refused.push(report) };
let net: SocketWorld;

/** A worker that runs an attempt, and another one that runs nothing. */
async function twoWorkers() {
  net = await SocketWorld.start({ gateway });
  const owner = net.client();
  await owner.opened;
  owner.say(helloOf('owner'));
  await owner.got('welcome');
  const id = await net.world.submit('mail');
  const { ref } = await owner.got('assign');
  owner.say({ kind: 'accept', refs: [ref] });
  const other = net.client('root');
  await other.opened;
  other.say(helloOf('other'));
  await other.got('welcome');
  return { owner, other, ref, id };
}

function changed(ref: Ref, position: number, by: number): Ref {
  return ref.map((value, i) => (i === position ? value + by : value)) as unknown as Ref;
}

const succeeded = { result: { kind: 'succeeded' }, output: null } as const;

describe('a refused report', () => {
  afterEach(async () => {
    refused.length = 0;
    expect(net.world.fatal).toEqual([]);
    await net.stop();
  });

  it('SEC-06 of the attempt of another worker is passed on with key and address', async () => {
    const { owner, other, ref, id } = await twoWorkers();
    other.say({ kind: 'finish', ref, ...succeeded });
    await other.got('stale');
    const { ip } = refused[0]?.origin ?? { ip: '' };
    expect(ip).toContain('127.0.0.1');
    expect(refused).toEqual([
      {
        worker: 'other',
        origin: { key: 'root', ip },
        report: 'finish',
        ref,
        reason: 'the attempt runs on another worker',
      },
    ]);
    owner.say({ kind: 'finish', ref, ...succeeded });
    await net.world.ended(id);
    expect(refused).toHaveLength(1);
  });

  it('SEC-06 has a reason: the token, the epoch, the attempt or the task is wrong', async () => {
    const { owner, ref } = await twoWorkers();
    const reports = [
      { kind: 'checkpoint', ref: changed(ref, 5, 1), state: new Uint8Array([1]) },
      { kind: 'extend', ref: changed(ref, 4, -1), byMs: 1_000 },
      { kind: 'finish', ref: changed(ref, 3, 1), ...succeeded },
      { kind: 'finish', ref: changed(ref, 1, 1_000), ...succeeded },
      { kind: 'finish', ref: changed(ref, 4, 1), ...succeeded },
    ] as const;
    for (const report of reports) owner.say(report);
    await owner.got('stale', 4);
    const reasons = refused.map(({ report, reason }) => `${report}: ${reason}`).sort();
    expect(reasons).toEqual([
      'checkpoint: the token is wrong',
      'extend: the epoch is wrong',
      'finish: another attempt of the task is running',
      'finish: the epoch is in the future',
      'finish: the task has no running attempt',
    ]);
  });

  it('SEC-06 is none if a result is sent twice, or an attempt is stopped', async () => {
    const { owner, ref, id } = await twoWorkers();
    for (let i = 0; i < 3; i++) owner.say({ kind: 'finish', ref, ...succeeded });
    await net.world.ended(id);
    owner.say({ kind: 'finish', ref, ...succeeded });
    await owner.got('confirm', 2);
    expect(refused).toEqual([]);
  });
});

it('SEC-06 SEC-03 a node writes refused reports to the audit log of the platform', async () => {
  const world = await ApiWorld.start();
  const worker = await TestWorker.connect(world.node.gateway, helloOf('w'));
  const ref: Ref = [0, 1_000_000, 0, 1, 1, 7];
  const epoch = world.node.context.loop.engine.core.books.get(0)?.epoch ?? 0;
  worker.say({ kind: 'finish', ref: changed(ref, 4, epoch - 1), ...succeeded });
  await worker.got('stale');
  await vi.waitFor(async () => {
    const { items } = (await world.ask('/audit', { tenant: '*' })).json<{ items: object[] }>();
    expect(items).toEqual([
      expect.objectContaining({
        action: 'worker.report_refused',
        actor: 'embedded',
        target: 'w',
        reason: 'the task has no running attempt',
      }),
    ]);
  });
  expect((await world.ask('/audit')).json()).toEqual({ items: [] });
  await world.stop();
});
