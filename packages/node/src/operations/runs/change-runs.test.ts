import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cancelRuns, getRun, listRuns, retryRuns } from '../index.ts';
import { caller, HOLD, SmallNode } from '../testing/small-node.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
  await node.define('mail');
  await node.define('report');
});
afterEach(() => node.stop());

const stateOf = async (id: string) => (await getRun(node.context, caller(), { id })).state;

async function submit(job: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await node.submit({ job }));
  return ids;
}

describe('runs that are changed by filter', () => {
  it('are only counted by a dry run, then cancelled step by step, and nothing else', async () => {
    const mails = await submit('mail', 7);
    const [report = ''] = await submit('report', 1);
    const filter = { job: 'mail' };
    const dry = await cancelRuns(node.context, caller(), { filter, dryRun: true });
    expect(dry).toMatchObject({ dryRun: true, count: 7, done: 0, failed: [] });
    expect(dry.ids).toEqual([...mails].reverse());
    expect(await stateOf(mails[0] ?? '')).toBe('PENDING');
    let cursor: string | undefined;
    const done: number[] = [];
    do {
      const more = cursor === undefined ? {} : { cursor };
      const step = await cancelRuns(node.context, caller(), { filter, limit: 3, ...more });
      expect(step.failed).toEqual([]);
      done.push(step.done);
      cursor = step.next;
    } while (cursor !== undefined);
    expect(done).toEqual([3, 3, 1]);
    for (const id of mails) expect(await stateOf(id)).toBe('CANCELLED');
    expect(await stateOf(report)).toBe('PENDING');
    expect(await cancelRuns(node.context, caller(), { filter })).toMatchObject({ count: 0 });
  });

  it('are retried where they failed, and where they were cancelled only if asked for', async () => {
    node.attach('w', () => ({ kind: 'failed', error: 'bad', class: 'permanent' }));
    const failed = await submit('mail', 2);
    await node.arrived(2);
    for (const id of failed) {
      expect((await getRun(node.context, caller(), { id, waitMs: 10_000 })).state).toBe('FAILED');
    }
    const [held = ''] = await submit('report', 1);
    await cancelRuns(node.context, caller(), { filter: { job: 'report' } });
    expect(await stateOf(held)).toBe('CANCELLED');
    const answer = await retryRuns(node.context, caller(), {
      filter: { from: '2000-01-01T00:00:00Z' },
    });
    expect(answer).toMatchObject({ count: 2, done: 2, failed: [] });
    expect(answer.created?.map(({ retryOf }) => retryOf).sort()).toEqual([...failed].sort());
    const again = { filter: { job: 'report', state: 'CANCELLED' } } as const;
    expect(await retryRuns(node.context, caller(), again)).toMatchObject({ done: 1 });
  });

  it('that another node holds are named as not reached', async () => {
    const [id = ''] = await submit('mail', 1);
    const other = SmallNode.idle({ disk: node.disk });
    const answer = await cancelRuns(other.context, caller(), { filter: { job: 'mail' } });
    expect(answer).toMatchObject({ count: 1, done: 0, failed: [{ id, code: 'not_owner' }] });
    expect(await stateOf(id)).toBe('PENDING');
  });

  it('need a filter, and a state that can be changed', async () => {
    const none = cancelRuns(node.context, caller(), { filter: {} });
    await expect(none).rejects.toMatchObject({ code: 'invalid', field: 'filter' });
    const [open = ''] = await submit('mail', 1);
    for (const id of ['-', '----', '0', '01-', 'zzzz', '0'.repeat(33)]) {
      const all = cancelRuns(node.context, caller(), { filter: { id } });
      await expect(all).rejects.toMatchObject({ code: 'invalid', field: 'id' });
    }
    expect(await stateOf(open)).toBe('PENDING');
    const ended = cancelRuns(node.context, caller(), { filter: { state: 'FAILED' } });
    await expect(ended).rejects.toMatchObject({ code: 'invalid', field: 'filter.state' });
    const live = retryRuns(node.context, caller(), { filter: { state: 'RUNNING' } });
    await expect(live).rejects.toMatchObject({ code: 'invalid', field: 'filter.state' });
  });
});

describe('a list of runs', () => {
  const list = async (filter: Parameters<typeof listRuns>[2], on = node.context) =>
    (await listRuns(on, caller(), filter)).items.map(({ id }) => id);

  it('is by time of submission, beginning of the id, key and who submitted it, from every node', async () => {
    node.attach('w', HOLD);
    const [first = '', second = '', third = ''] = await submit('mail', 3);
    const keyed = await node.submit({ job: 'mail', idempotencyKey: 'order-7' });
    const at = async (id: string) => (await getRun(node.context, caller(), { id })).submittedAt;
    const follower = SmallNode.idle({ disk: node.disk });
    for (const on of [node.context, follower.context]) {
      expect(await list({ from: await at(first) }, on)).toContain(first);
      expect(await list({ until: await at(first) }, on)).toEqual([]);
      expect(await list({ from: '2999-01-01T00:00:00Z' }, on)).toEqual([]);
      expect(await list({ id: second }, on)).toEqual([second]);
      expect(await list({ id: second.slice(0, 8).toUpperCase() }, on)).toContain(second);
      expect(await list({ id: `${third.slice(0, 14)}f` }, on)).toEqual([]);
      expect(await list({ idempotencyKey: 'order-7' }, on)).toEqual([keyed]);
      expect(await list({ idempotencyKey: 'order-7', job: 'report' }, on)).toEqual([]);
      expect(await list({ idempotencyKey: 'order-8' }, on)).toEqual([]);
      expect(await list({ submittedBy: 'tester' }, on)).toHaveLength(4);
      expect(await list({ submittedBy: 'somebody' }, on)).toEqual([]);
    }
    const wrong = listRuns(node.context, caller(), {
      from: '2030-01-01T00:00:00Z',
      until: '2029-01-01T00:00:00Z',
    });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid', field: 'from' });
  });

  it('is by schedule, trigger and event', async () => {
    const heads = {
      window: { trigger: { kind: 'schedule', of: 'nightly' } },
      byHand: { trigger: { kind: 'manual', of: 'nightly', by: 'x' } },
      event: {
        trigger: { kind: 'event', of: 'orders' },
        event: { source: 's', id: 'e-1', type: 'order' },
      },
      other: { trigger: { kind: 'event', of: 'nightly' } },
    };
    const spec = await node.context.loop.specs.load({ tenant: 'acme', job: 'mail', version: 1 });
    const ids: Record<string, string> = {};
    for (const [name, head] of Object.entries(heads)) {
      ids[name] = await node.submitAs({ spec, head });
    }
    expect(await list({ schedule: 'nightly' })).toEqual([ids['byHand'], ids['window']]);
    expect(await list({ trigger: 'orders' })).toEqual([ids['event']]);
    expect(await list({ trigger: 'nightly' })).toEqual([ids['other']]);
    expect(await list({ event: 'e-1' })).toEqual([ids['event']]);
  });

  it('looks at a bounded number of runs for each page, also for runs that live', async () => {
    let looked = 0;
    const { store } = node.context;
    const counting = Object.create(store, {
      listRuns: {
        value: async (query: Parameters<typeof store.listRuns>[0]) => {
          expect(query.ended).not.toBe(false);
          looked += 1;
          return store.listRuns(query);
        },
      },
    }) as typeof store;
    await submit('mail', 3);
    const context = { ...node.context, store: counting };
    const page = await listRuns(context, caller(), { state: 'RUNNING' });
    expect(page).toEqual({ items: [] });
    expect(looked).toBe(2);
  });
});
