import type { Store } from '@signalbox/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NodeContext } from '../../context/node-context.ts';
import { faulty } from '../../loop/testing/faulty-store.ts';
import { deleteJob, getSchedule, saveCalendar, saveSchedule } from '../index.ts';
import { caller, SmallNode } from '../testing/small-node.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
  await node.define('mail');
  await close('2030-01-01');
});
afterEach(() => node.stop());

const close = (day: string, context: NodeContext = node.context) =>
  saveCalendar(context, caller(), { name: 'holidays', calendar: { blackouts: [day] } });
const save = (cron: string, context: NodeContext = node.context) => {
  const definition = { job: 'mail', cron, calendar: 'holidays' };
  return saveSchedule(context, caller(), { name: 'nightly', definition });
};
/** What is stored, with the days that the schedule carries. */
const stored = async () => {
  const key = { tenant: 'acme', kind: 'schedule', name: 'nightly' };
  const definition = await node.context.store.getDefinition(key);
  const { when } = JSON.parse(definition?.body ?? '{}');
  return { cron: when.expr, days: when.calendar.blackouts, version: definition?.version };
};
/** A context in which something happens once, right before or after a call of the store. */
function meanwhile(replace: (real: Store) => Partial<Store>): NodeContext {
  return { ...node.context, store: faulty(node.context.store, replace) };
}
function once(act: () => Promise<unknown>): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    isDone = true;
    await act();
  };
}

describe('calendars and the schedules that name them', () => {
  it('a schedule that is saved while its calendar is saved gets the new days', async () => {
    const closes = once(() => close('2030-02-02'));
    const context = meanwhile((real) => ({
      putDefinition: async (change) => {
        if (change.kind === 'schedule') await closes();
        return real.putDefinition(change);
      },
    }));
    const { schedule, outcome } = await save('0 1 * * *', context);
    expect(outcome).toBe('created');
    expect(await stored()).toMatchObject({ days: ['2030-02-02'], version: schedule.version });
  });

  it('a schedule that is edited while its calendar is saved keeps the edit and gets the days', async () => {
    await save('0 1 * * *');
    const edits = once(() => save('0 2 * * *'));
    const context = meanwhile((real) => ({
      listDefinitions: async (query) => {
        const page = await real.listDefinitions(query);
        await edits();
        return page;
      },
    }));
    await close('2030-03-03', context);
    expect(await stored()).toMatchObject({ cron: '0 2 * * *', days: ['2030-03-03'] });
  });

  it('of two authors of a calendar the last one decides, also for its schedules', async () => {
    await save('0 1 * * *');
    const overtakes = once(() => close('2030-05-05'));
    const context = meanwhile((real) => ({
      putDefinition: async (change) => {
        if (change.kind === 'schedule') await overtakes();
        return real.putDefinition(change);
      },
    }));
    await close('2030-04-04', context);
    expect(await stored()).toMatchObject({ days: ['2030-05-05'] });
  });

  it('a schedule whose job was deleted does not keep the others from their days', async () => {
    await save('0 1 * * *');
    await deleteJob(node.context, caller(), { name: 'mail' });
    const { schedules } = await close('2030-06-06');
    expect(schedules).toEqual(['nightly']);
    expect((await getSchedule(node.context, caller(), { name: 'nightly' })).version).toBe(2);
  });
});
