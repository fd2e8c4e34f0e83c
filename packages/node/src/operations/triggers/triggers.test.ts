import type { TriggerDefinition } from '@signalbox/protocol';
import { StoreError } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Event } from '../../triggers/event.ts';
import { DEPTH_MAX } from '../../triggers/follow-ends.ts';
import {
  cancelRun,
  deleteTrigger,
  getRun,
  getTrigger,
  listRuns,
  listTriggers,
  pauseJob,
  receiveEvents,
  saveTrigger,
  testTrigger,
} from '../index.ts';
import { bytes, caller, SmallNode, SUCCEED, turn } from '../testing/small-node.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
  await node.define('mail');
  await node.define('graph');
});
afterEach(() => node.stop());

const PAID = { job: 'mail', source: '/shop', type: 'order.paid' } as const;

const save = (definition: Partial<TriggerDefinition> = {}, name = 'paid', on = node) =>
  saveTrigger(on.context, caller(), { name, definition: { ...PAID, ...definition } });

function event(own: Partial<Event> = {}): Event {
  const data = { order: 7, total: 120.5, tags: ['new'] };
  return { specversion: '1.0', id: 'e1', source: '/shop', type: 'order.paid', data, ...own };
}

async function send(events: Event | Event[] = event(), on = node) {
  const list = Array.isArray(events) ? events : [events];
  return receiveEvents(on.context, caller(), { events: list });
}

async function runs(on = node, job?: string) {
  const page = await listRuns(on.context, caller(), { limit: 100, ...(job ? { job } : {}) });
  return page.items;
}

/** Waits, turn by turn, for what is on its way. */
async function until<T>(look: () => Promise<T | null>): Promise<T> {
  const giveUpAt = performance.now() + 20_000;
  while (performance.now() < giveUpAt) {
    const found = await look();
    if (found !== null) return found;
    await turn();
  }
  throw new Error('it did not come');
}

describe('a trigger', () => {
  it('is a definition with versions: saved, edited, listed, deleted and saved again', async () => {
    const created = await save();
    expect(created).toMatchObject({ outcome: 'created', trigger: { version: 1, state: 'active' } });
    expect((await save()).outcome).toBe('unchanged');
    const edited = await save({ filter: 'event.data.total > 100' });
    expect(edited).toMatchObject({ outcome: 'changed', trigger: { version: 2 } });
    const stale = saveTrigger(node.context, caller(), {
      name: 'paid',
      definition: PAID,
      expected: { version: 1 },
    });
    await expect(stale).rejects.toMatchObject({ code: 'precondition_failed' });
    const absent = { name: 'paid', definition: PAID, expected: { absent: true } };
    await expect(saveTrigger(node.context, caller(), absent)).rejects.toThrow('already there');
    await expect(save({ job: 'graph' })).rejects.toMatchObject({ field: 'definition.job' });
    const { items } = await listTriggers(node.context, caller(), {});
    expect(items.map(({ name, version }) => [name, version])).toEqual([['paid', 2]]);
    await deleteTrigger(node.context, caller(), { name: 'paid' });
    expect((await listTriggers(node.context, caller(), {})).items).toEqual([]);
    expect((await getTrigger(node.context, caller(), { name: 'paid' })).state).toBe('deleted');
    expect((await send())[0]?.runs).toEqual([]);
    expect(await save()).toMatchObject({ outcome: 'created', trigger: { version: 4 } });
    expect((await send())[0]?.runs).toMatchObject([{ outcome: 'created' }]);
    const other = caller({ tenant: 'other' });
    await expect(getTrigger(node.context, other, { name: 'paid' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it.each([
    [{ filter: 'event.data.total >' }, 'definition.filter', /at character 19/],
    [{ filter: 'events.id == "x"' }, 'definition.filter', /Unknown variable: events/],
    [{ filter: '"text"' }, 'definition.filter', /true or false/],
    [{ key: 'event.' }, 'definition.key', /at character/],
    [{ input: { a: ['${nope}'] } }, 'definition.input.a[0]', /Unknown variable: nope/],
    [{ source: 'a*b' }, 'definition.source', /at the end/],
    [{ expect: { bufferMs: 1 } }, 'definition.expect.cron', /one of/],
    [{ expect: { bufferMs: 1, cron: '99 * * * *' } }, 'definition.expect.cron', /./],
    [
      { expect: { bufferMs: 1, cron: '0 2 * * *', zone: 'Mars' } },
      'definition.expect.zone',
      /Mars/,
    ],
    [{ hook: { style: 'github' as const } }, 'definition.source', /hook alone/],
  ])('%j is refused with its field', async (own, field, message) => {
    await expect(save(own)).rejects.toMatchObject({
      code: 'invalid',
      field,
      message: expect.stringMatching(message),
    });
    expect((await listTriggers(node.context, caller(), {})).items).toEqual([]);
  });

  it('needs something to listen to, and a job', async () => {
    const bare = { name: 'all', definition: { job: 'mail' } };
    await expect(saveTrigger(node.context, caller(), bare)).rejects.toMatchObject({
      field: 'definition.source',
    });
    await expect(save({ job: 'nope' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('can be tried with an event before anything is saved', async () => {
    const definition = {
      ...PAID,
      filter: 'event.data.total > 100',
      input: { id: '${event.data.order}' },
    };
    const tried = (own: Partial<Event>) =>
      testTrigger(node.context, caller(), { definition, event: event(own) });
    expect(await tried({})).toMatchObject({ matches: true, input: { id: 7 } });
    expect(await tried({ data: { total: 1 } })).toEqual({
      matches: false,
      reason: 'filter: false',
    });
    expect(await tried({ data: 'x' })).toMatchObject({ matches: false, reason: /filter: / });
    expect(await tried({ type: 'other' })).toMatchObject({ matches: false });
    expect(await tried({ data: { total: 101 } })).toMatchObject({
      reason: 'input.id: No such key: order',
    });
    await expect(
      testTrigger(node.context, caller(), { definition, event: { id: 'x' } }),
    ).rejects.toMatchObject({ field: 'event.specversion' });
    expect(await runs()).toEqual([]);
  });
});

describe('an event', () => {
  it('TRG-23 starts one run of every trigger that wants it, and none of the others', async () => {
    await save({ filter: 'event.data.total > 100 && "new" in event.data.tags' });
    await save({ source: '/sh*', type: 'order.*', job: 'graph' }, 'all');
    await save({ type: 'order.lost' }, 'lost');
    await save({ filter: 'event.data.total > 1000' }, 'rich');
    await save({ filter: 'event.data.absent == 1' }, 'broken');
    await save({ enabled: false }, 'off');
    const [received] = await send();
    expect(received?.runs.map(({ trigger, outcome }) => [trigger, outcome])).toEqual([
      ['paid', 'created'],
      ['all', 'created'],
    ]);
    expect(received?.passed).toEqual([
      { trigger: 'rich', reason: 'filter: false' },
      { trigger: 'broken', reason: 'filter: No such key: absent' },
    ]);
    const run = await getRun(node.context, caller(), { id: received?.runs[0]?.run as string });
    expect(run).toMatchObject({
      job: 'mail',
      trigger: { kind: 'event', of: 'paid' },
      event: { source: '/shop', id: 'e1', type: 'order.paid' },
    });
    const [nobody] = await send(event({ id: 'e2', source: '/elsewhere' }));
    expect(nobody).toMatchObject({ runs: [], passed: [] });
    expect(await runs()).toHaveLength(2);
    expect(node.events).toEqual({ received: 2, matched: 2, unmatched: 1 });
  });

  it('becomes the input: its data, the whole of it, or what the template says', async () => {
    await save({}, 'data');
    await save({ input: '${event}' }, 'whole');
    await save({ input: { order: '${event.data.order + 1}', fixed: [1, 'x'] } }, 'mapped');
    await save({ input: { order: '${event.data.nope}' } }, 'failing');
    const [received] = await send();
    const inputs = await Promise.all(
      (received?.runs ?? []).map(async ({ trigger, run, reason }) => {
        if (run === undefined) return [trigger, reason];
        const stored = await node.context.store.listRuns({
          tenant: 'acme',
          before: null,
          limit: 9,
        });
        const row = stored.find(({ run: { head } }) => head.includes(`"of":"${trigger}"`));
        const input = row?.run.input;
        return [trigger, input == null ? null : JSON.parse(new TextDecoder().decode(input))];
      }),
    );
    expect(inputs).toEqual([
      ['data', event().data],
      ['whole', event()],
      ['mapped', { order: 8, fixed: [1, 'x'] }],
      ['failing', 'input.order: No such key: nope'],
    ]);
    expect(await getTrigger(node.context, caller(), { name: 'failing' })).toMatchObject({
      refusals: [{ source: '/shop', id: 'e1', reason: 'input.order: No such key: nope' }],
    });
  });

  it('TRG-23 delivered again, at once and a hundred times, is one run', async () => {
    await save();
    const answers = await Promise.all(Array.from({ length: 100 }, () => send()));
    const outcomes = answers.flat().flatMap(({ runs: [run] }) => run?.outcome ?? []);
    expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(99);
    expect(new Set(answers.flat().map(({ runs: [run] }) => run?.run)).size).toBe(1);
    expect(await runs()).toHaveLength(1);
    expect(node.events).toMatchObject({ received: 100, matched: 1, duplicate: 99 });
    // The same id of another source is another event; so is the same event for another trigger.
    await save({ source: '/shop2' }, 'second');
    const [other] = await send(event({ source: '/shop2' }));
    expect(other?.runs).toMatchObject([{ trigger: 'second', outcome: 'created' }]);
  });

  it('TRG-23 delivered again after a restart is the run of before', async () => {
    await save();
    const [first] = await send();
    await node.stop();
    node = await SmallNode.start({ disk: node.disk });
    const [again] = await send();
    expect(again?.runs).toEqual([{ ...first?.runs[0], outcome: 'duplicate' }]);
  });

  it('is one with others of the same key, where the trigger has one', async () => {
    await save({ key: 'string(event.data.order)' });
    const outcome = async (own: Partial<Event>) => (await send(event(own)))[0]?.runs[0];
    expect(await outcome({ id: 'a' })).toMatchObject({ outcome: 'created' });
    expect(await outcome({ id: 'b' })).toMatchObject({ outcome: 'duplicate' });
    expect(await outcome({ id: 'c', data: { order: 8 } })).toMatchObject({ outcome: 'created' });
    expect(await outcome({ id: 'd', data: {} })).toMatchObject({
      outcome: 'refused',
      reason: 'key: No such key: order',
    });
  });

  it('starts nothing of a job that is paused or gone, and says so', async () => {
    await save();
    await pauseJob(node.context, caller(), { name: 'mail' });
    expect((await send())[0]?.runs).toEqual([
      { trigger: 'paid', outcome: 'refused', reason: 'its job is paused' },
    ]);
  });

  it('waits in the inbox where another node owns the job, and is one run all the same', async () => {
    await save();
    const away = SmallNode.idle({ disk: node.disk });
    await away.context.triggers.watch.look();
    const [put] = await send(event(), away);
    const [again] = await send(event(), away);
    expect(put?.runs).toMatchObject([{ outcome: 'created' }]);
    expect(again?.runs[0]?.run).toBe(put?.runs[0]?.run);
    const [here] = await send();
    expect(here?.runs).toMatchObject([{ outcome: 'created' }]);
    const [after] = await send(event(), away);
    expect(after?.runs).toEqual([{ ...here?.runs[0], outcome: 'duplicate' }]);
    expect(await runs()).toHaveLength(1);
  });

  it('is refused whole where its filters together take too much work', async () => {
    const xs = Array.from({ length: 4_000 }, (_, i) => i);
    for (let i = 0; i < 20; i++) await save({ filter: 'event.data.xs.all(x, x >= 0)' }, `t${i}`);
    await expect(send(event({ data: { xs } }))).rejects.toMatchObject({ code: 'too_large' });
    expect(await runs()).toEqual([]);
    const [small] = await send(event({ data: { xs: [1] } }));
    expect(small?.runs).toHaveLength(20);
  });

  it('cannot speak for the ends of runs', async () => {
    await expect(send(event({ source: 'signalbox' }))).rejects.toMatchObject({
      code: 'invalid',
      field: 'source',
    });
    await expect(send([event(), event({ source: 'signalbox' })])).rejects.toMatchObject({
      field: '[1].source',
    });
  });
});

describe('the end of a run', () => {
  const follow = (own: Partial<TriggerDefinition> = {}, on = node, name = 'after') =>
    saveTrigger(on.context, caller(), {
      name,
      definition: {
        job: 'graph',
        source: 'signalbox',
        type: 'run.succeeded',
        subject: 'mail',
        ...own,
      },
    });

  it('starts another run, with what it yielded; other ends do not', async () => {
    await follow({ input: { from: '${event.data.run}', said: '${event.data.output.said}' } });
    await follow({ type: 'run.failed' }, node, 'failed');
    node.attach('w', (attempt) =>
      attempt.task.run.spec.job === 'mail'
        ? { kind: 'succeeded', output: bytes('{"said":"hello"}') }
        : null,
    );
    const id = await node.submit({ job: 'mail', class: 'P0' });
    const [made] = await until(async () => {
      const found = await runs(node, 'graph');
      return found.length === 0 ? null : found;
    });
    expect(made).toMatchObject({
      class: 'P0',
      trigger: { kind: 'event', of: 'after' },
      event: { source: 'signalbox', id, type: 'run.succeeded', depth: 1 },
    });
    const stored = await node.context.store.listRuns({
      tenant: 'acme',
      before: null,
      limit: 9,
      job: 'graph',
    });
    const input = stored[0]?.run.input as Uint8Array;
    expect(JSON.parse(new TextDecoder().decode(input))).toEqual({ from: id, said: 'hello' });
    expect(await runs(node, 'graph')).toHaveLength(1);
  });

  it('is told for cancelled runs too, and another tenant hears nothing', async () => {
    await follow({ type: 'run.*' });
    const other = caller({ tenant: 'other' });
    expect((await listRuns(node.context, other, { limit: 9 })).items).toEqual([]);
    const id = await node.submit({ job: 'mail' });
    await cancelRun(node.context, caller(), { id });
    const found = await until(async () => (await runs(node, 'graph'))[0] ?? null);
    expect(found.event).toMatchObject({ id, type: 'run.cancelled' });
  });

  it('runs that start each other end at the limit, and the trigger says so', async () => {
    await follow({ job: 'mail' });
    node.attach('w', SUCCEED);
    await node.submit({ job: 'mail' });
    const refusals = await until(async () => {
      const trigger = await getTrigger(node.context, caller(), { name: 'after' });
      return trigger.refusals ?? null;
    });
    expect(refusals).toMatchObject([
      { source: 'signalbox', reason: `it follows from ${DEPTH_MAX} runs that started each other` },
    ]);
    expect(await runs(node, 'mail')).toHaveLength(DEPTH_MAX + 1);
    expect(node.events.rejected).toBe(1);
  });

  it('what follows from one end may take only so much work; the rest is refused, visibly', async () => {
    for (const name of ['one', 'two', 'three']) {
      await follow({ filter: 'event.data.output.all(x, x >= 0)' }, node, name);
    }
    const output = bytes(JSON.stringify(Array.from({ length: 1_800 }, (_, i) => i)));
    node.attach('w', (attempt) =>
      attempt.task.run.spec.job === 'mail' ? { kind: 'succeeded', output } : null,
    );
    await node.submit({ job: 'mail' });
    const refusals = await until(async () => {
      const trigger = await getTrigger(node.context, caller(), { name: 'three' });
      return trigger.refusals ?? null;
    });
    expect(refusals).toMatchObject([{ reason: 'what follows from this end is too much work' }]);
    await until(async () => ((await runs(node, 'graph')).length === 2 ? true : null));
  });

  it('is followed once, though the node dies between the end and what follows', async () => {
    const disk = createMemoryStore({ now: () => Date.now() });
    // The first node never gets to look into the inbox.
    const loop = { leaseMs: 300, beatMs: 50, trustMarginMs: 50, inboxPollMs: 10 };
    const store = { ...disk, readInbox: async () => [] };
    const first = await SmallNode.start({ disk, store, loop });
    await first.define('mail');
    await first.define('graph');
    await follow({}, first);
    first.attach('w', SUCCEED);
    const id = await first.submit({ job: 'mail' });
    await until(async () => {
      const run = await getRun(first.context, caller(), { id });
      return run.state === 'SUCCEEDED' ? run : null;
    });
    expect(await runs(first, 'graph')).toEqual([]);
    first.context.loop.halt();
    const second = await SmallNode.start({ disk, loop });
    const [made] = await until(async () => {
      const found = await runs(second, 'graph');
      return found.length === 0 ? null : found;
    });
    expect(made?.event).toMatchObject({ id });
    await second.context.loop.flushed();
    expect(await runs(second, 'graph')).toHaveLength(1);
    await second.stop();
  }, 30_000);

  it('is followed once, though the answers of commits are lost', async () => {
    const disk = createMemoryStore({ now: () => Date.now() });
    let lost = 0;
    const store = {
      ...disk,
      append: async (commit: Parameters<typeof disk.append>[0]) => {
        const result = await disk.append(commit);
        const owes = commit.parts.some(({ inboxPut }) => inboxPut !== undefined);
        if (!owes || lost >= 3) return result;
        lost++;
        throw new StoreError('unknown', 'the answer was lost');
      },
    };
    const own = await SmallNode.start({ disk, store });
    await own.define('mail');
    await own.define('graph');
    await follow({}, own);
    own.attach('w', SUCCEED);
    await own.submit({ job: 'mail' });
    await own.submit({ job: 'mail' });
    await until(async () => {
      const found = await runs(own, 'graph');
      return found.length < 2 ? null : found;
    });
    expect(lost).toBeGreaterThan(0);
    await own.context.loop.flushed();
    expect(await runs(own, 'graph')).toHaveLength(2);
    await own.stop();
  });
});
