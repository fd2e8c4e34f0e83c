import type { StartedRun } from '@signalbox/protocol';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createDatabase, describePostgres } from '../../../../../tools/testing/postgres.ts';
import { type RunningNode, startNode } from '../../start-node.ts';
import type { Event } from '../../triggers/event.ts';
import {
  cancelRun,
  defineJob,
  listRuns,
  receiveEvents,
  saveTrigger,
  submitRuns,
} from '../index.ts';
import { caller, turn } from '../testing/small-node.ts';

const JOBS = ['a', 'b', 'c', 'd'];

function start(store: string, name: string): Promise<RunningNode> {
  return startNode({
    store,
    name,
    http: false,
    partitions: 4,
    loop: { leaseMs: 2_000, beatMs: 400, trustMarginMs: 400, inboxPollMs: 100 },
    log: pino({ level: 'silent' }),
    onFatal: () => {},
  });
}

const event = (id: number): Event => ({
  specversion: '1.0',
  id: `e${id}`,
  source: '/shop',
  type: 'order.paid',
});

async function runsOf({ context }: RunningNode, job: string) {
  return (await listRuns(context, caller(), { job, limit: 1_000 })).items;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error('it did not come');
    await turn();
  }
}

describePostgres('events on two nodes over PostgreSQL', () => {
  it('TRG-23 delivered to both at once, and again after one died: one run for each trigger', async () => {
    const url = await createDatabase();
    const first = await start(url, 'first');
    await first.ready();
    for (const name of JOBS) await defineJob(first.context, caller(), { name, definition: {} });
    for (const job of JOBS) {
      const definition = { job, source: '/shop' };
      await saveTrigger(first.context, caller(), { name: `to-${job}`, definition });
    }
    const second = await start(url, 'second');
    const events = Array.from({ length: 25 }, (_, i) => event(i));
    const send = async (node: RunningNode): Promise<StartedRun[]> => {
      const answers = await Promise.allSettled(
        events.map((each) => receiveEvents(node.context, caller(), { events: [each] })),
      );
      return answers.flatMap((answer) =>
        answer.status === 'fulfilled' ? answer.value.flatMap(({ runs }) => runs) : [],
      );
    };
    await Promise.all([send(first), send(second), send(first), send(second)]);
    // What was under way is lost with it; whoever got no answer sends again.
    const dying = send(first);
    first.context.loop.halt();
    await dying;
    await until(async () => (await send(second)).every(({ outcome }) => outcome === 'duplicate'));
    for (const job of JOBS) {
      await until(async () => (await runsOf(second, job)).length >= events.length);
      const ids = (await runsOf(second, job)).map(({ event: of }) => of?.id);
      expect([job, ids.length, new Set(ids).size]).toEqual([job, 25, 25]);
    }
    await second.stop();
    await first.stop().catch(() => {});
  }, 180_000);

  it('an end on one node starts a run of a job that another node owns, once', async () => {
    const url = await createDatabase();
    const first = await start(url, 'first');
    await first.ready();
    for (const name of ['load', ...JOBS]) {
      await defineJob(first.context, caller(), { name, definition: {} });
    }
    for (const job of JOBS) {
      const definition = { job, source: 'signalbox', type: 'run.*', subject: 'load' };
      await saveTrigger(first.context, caller(), { name: `then-${job}`, definition });
    }
    const second = await start(url, 'second');
    const items = Array.from({ length: 10 }, () => ({ job: 'load' }));
    const submitted = await submitRuns(first.context, caller(), { items });
    for (const { id } of submitted) {
      await until(async () => {
        for (const node of [first, second]) {
          const done = await cancelRun(node.context, caller(), { id }).catch(() => null);
          if (done !== null) return true;
        }
        return false;
      });
    }
    for (const job of JOBS) {
      await until(async () => (await runsOf(second, job)).length >= 10);
      const ids = (await runsOf(second, job)).map(({ event: of }) => of?.id);
      expect(new Set(ids)).toEqual(new Set(submitted.map(({ id }) => id)));
      expect(ids).toHaveLength(10);
    }
    await first.stop();
    await second.stop();
  }, 180_000);
});
