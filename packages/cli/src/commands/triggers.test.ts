import type { ReceivedEvents, Trigger } from '@signalbox/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandNode } from '../testing/command-node.ts';

let node: CommandNode;

beforeAll(async () => {
  node = await CommandNode.start();
  await node.define('invoice');
});
afterAll(() => node.stop());

const run = (...args: string[]) => node.run(args);

describe('signalbox triggers and events', () => {
  it('creates, lists, tests, changes and deletes a trigger, and sends it events', async () => {
    expect((await run('triggers')).err).toContain('no triggers');
    const match = [
      '--source',
      '/shop',
      '--type',
      'order.paid',
      '--filter',
      'event.data.total > 10',
    ];
    const made = await run('triggers', 'create', 'paid', 'invoice', ...match);
    expect(made.code).toBe(0);
    expect((await run('triggers', 'create', 'paid', 'invoice', ...match)).code).toBe(6);
    expect((await run('triggers', 'list')).out).toMatch(
      /^paid\tinvoice\tactive\torder\.paid of \/shop\t/,
    );
    const sample = (total: number) =>
      JSON.stringify({
        specversion: '1.0',
        id: '1',
        source: '/shop',
        type: 'order.paid',
        data: { total },
      });
    const tested = await run('triggers', 'test', 'paid', sample(11));
    expect(tested).toMatchObject({ code: 0, out: '{"total":11}\n' });
    const not = await run('triggers', 'test', 'paid', sample(9));
    expect(not).toMatchObject({ code: 1, err: expect.stringContaining('filter: false') });
    const data = await run('triggers', 'test', 'paid', '{"total":11}');
    expect(data).toMatchObject({ code: 0, out: '{"total":11}\n' });
    expect(data.err).toContain('using this as the data of an event');
    expect((await run('triggers', 'test', 'paid', '{"total":9}')).code).toBe(1);
    expect((await run('triggers', 'test', 'paid', 'text')).err).toContain('filter: ');

    const send = ['events', 'send', 'order.paid', '{"total":11}', '--source', '/shop', '--id', 'a'];
    expect((await run(...send)).out).toMatch(/^a\tpaid\tcreated\t/);
    const small = ['events', 'send', 'order.paid', '{"total":1}', '--source', '/shop', '--id', 'b'];
    expect((await run(...small)).out).toBe('b\tpaid\tnot matched\t\tfilter: false\n');
    const again = JSON.parse((await run(...send, '--json')).out) as ReceivedEvents;
    expect(again.events[0]?.runs).toMatchObject([{ outcome: 'duplicate' }]);
    expect((await run('events', 'send', 'other')).err).toMatch(
      /no trigger listens to its source and type, and no job waits for its type\n$/,
    );
    await node.define('waits', { tasks: [{ name: 'rung', event: { type: 'bell.rang' } }] });
    expect((await run('events', 'send', 'bell.rang')).err).toMatch(
      /no trigger listens to its source and type; tasks that wait for it are told\n$/,
    );
    const [started] = (await run('runs', 'list', '--trigger', 'paid')).out.split('\t');
    expect((await run('runs', 'list', '--event', 'a')).out).toContain(`${started}\t`);
    const shown = await run('runs', 'show', started ?? '');
    expect(shown.out).toMatch(/trigger: +event paid: order\.paid a of \/shop/);
    expect((await run('runs')).out).toContain('event paid');

    const update = ['triggers', 'update', 'paid', '--input', '${event.data.total}'];
    expect((await run(...update)).code).toBe(0);
    expect((await run('triggers', 'pause', 'paid')).out).toBe('paid is paused\n');
    const { definition, state } = JSON.parse(
      (await run('triggers', 'show', 'paid', '--json')).out,
    ) as Trigger;
    expect(state).toBe('paused');
    expect(definition).toEqual({
      ...{ job: 'invoice', source: '/shop', type: 'order.paid' },
      ...{ filter: 'event.data.total > 10', input: '${event.data.total}' },
    });
    expect((await run('triggers', 'resume', 'paid')).out).toBe('paid is resumed\n');
    expect((await run('triggers', 'list')).out).toContain('active');
    expect((await run('triggers', 'delete', 'paid')).out).toBe('paid is deleted\n');
    expect((await run('triggers', 'delete', 'paid')).code).toBe(3);
  });

  it('sends the event of the example, which is one run however often', async () => {
    const file = new URL('../../../../examples/events/guest.json', import.meta.url).pathname;
    const filter = ['--filter', 'event.data.name != ""', '--input', '${event.data.name}'];
    await run('triggers', 'create', 'greet', 'invoice', '--type', 'door.rang', ...filter);
    expect((await run('triggers', 'test', 'greet', `@${file}`)).out).toBe('Ada\n');
    expect((await run('events', 'send', `@${file}`)).out).toMatch(/^guest-1\tgreet\tcreated\t/);
    expect((await run('events', 'send', `@${file}`)).out).toMatch(/^guest-1\tgreet\tduplicate\t/);
  });

  it('saves what is expected, and hooks whose secret is shown once', async () => {
    const expected = [
      '--type',
      'file',
      '--expect-cron',
      '0 2 * * *',
      '--expect-timezone',
      'Europe/Berlin',
      '--expect-buffer',
      '30m',
    ];
    expect((await run('triggers', 'create', 'files', 'invoice', ...expected)).out).toContain(
      'expects',
    );
    const every = await run(
      'triggers',
      'update',
      'files',
      '--expect-every',
      '6h',
      '--expect-late',
      'skip',
      '--json',
    );
    expect((JSON.parse(every.out) as Trigger).definition.expect).toEqual({
      ...{ every: '6h', buffer: '30m', late: 'skip' },
    });
    const hook = await run('triggers', 'create', 'push', 'invoice', '--hook-style', 'github');
    expect(hook.out).toMatch(/secret: +whsec_\S+ \(shown only now\)/);
    expect((await run('triggers', 'show', 'push')).out).not.toContain('whsec_');
    const wrong = await run(
      'triggers',
      'create',
      'bad',
      'invoice',
      '--type',
      'x',
      '--filter',
      'event.',
    );
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('definition.filter') });
  });
});
