import { job, Signalbox } from 'signalbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandNode } from '../testing/command-node.ts';

let node: CommandNode;
let box: Signalbox;

beforeAll(async () => {
  node = await CommandNode.start();
  await node.define('wait', { tasks: [{ name: 'main', handler: 'nobody' }] });
  await node.define('broken', {
    tasks: [{ name: 'main', handler: 'bad', retry: { maxAttempts: 1 } }],
  });
  box = await Signalbox.connect(node.url, { key: node.key });
  const bad = job('bad', () => {
    throw new Error('it is bad');
  });
  await box.work([bad], { name: 'w' });
});
afterAll(async () => {
  await box.close();
  await node.stop();
});

const run = (...args: string[]) => node.run(args);
const submit = async (...args: string[]) => (await run('submit', ...args)).out.trim();

describe('signalbox runs cancel and retry', () => {
  it('count and show with --dry-run, then change all that match', async () => {
    const ids = [await submit('wait'), await submit('wait')];
    const dry = await run('runs', 'cancel', '--job', 'wait', '--state', 'pending', '--dry-run');
    expect(dry.out.trim().split('\n')).toEqual([...ids].reverse().concat('2 would be cancelled'));
    expect((await run('runs', 'list', '--state', 'CANCELLED', '--json')).out).toBe('');
    const done = await run('runs', 'cancel', '--job', 'wait', '--reason', 'bad data', '--yes');
    expect(done).toMatchObject({ code: 0, out: '2 of 2 cancelled\n' });
    expect(
      (await run('runs', 'list', '--state', 'CANCELLED', '--json')).out.split('\n'),
    ).toHaveLength(3);
  });

  it('name the new runs of a retry, and refuse to change everything by accident', async () => {
    expect((await run('submit', 'broken', '--wait')).code).toBe(1);
    const retried = await run('runs', 'retry', '--job', 'broken', '--yes');
    expect(retried.out).toMatch(/^[0-9a-f-]{36} \(of [0-9a-f-]{36}\)\n1 of 1 retried\n$/);
    expect(await run('runs', 'cancel')).toMatchObject({ code: 2 });
  });
});

describe('signalbox runs cancel and retry, before they change anything,', () => {
  const cancel = ['runs', 'cancel', '--job', 'wait', '--state', 'pending'];
  const isOpen = async (id: string) =>
    (await run('runs', 'list', '--state', 'pending', '--id', id, '--json')).out.includes(id);

  it('ask on a terminal with the number of runs, and do nothing after a no', async () => {
    const id = await submit('wait');
    const no = await node.run(cancel, { isTty: true, answer: false });
    expect(no).toMatchObject({
      code: 1,
      out: '',
      err: `Cancel 1 run at ${node.url}?\nnothing was changed\n`,
    });
    expect(await isOpen(id)).toBe(true);
    const yes = await node.run(cancel, { isTty: true, answer: true });
    expect(yes).toMatchObject({ code: 0, out: '1 of 1 cancelled\n' });
    expect(await isOpen(id)).toBe(false);
  });

  it('need --yes without a terminal, and do not ask where no run matches', async () => {
    expect((await run(...cancel)).out).toBe('0 of 0 cancelled\n');
    const id = await submit('wait');
    const refused = await run(...cancel);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('nothing was changed: 1 run would be affected');
    expect(refused.err).toContain('--yes');
    expect(await isOpen(id)).toBe(true);
    expect((await run(...cancel, '--yes')).out).toBe('1 of 1 cancelled\n');
  });
});

describe('lists and last', () => {
  it('runs list takes a time range, a key and the beginning of an id', async () => {
    const id = await submit('wait', '--idempotency-key', 'order-1');
    const ids = async (...args: string[]) =>
      (await run('runs', 'list', '--json', ...args)).out
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { id: string }).id]));
    expect(await ids('--idempotency-key', 'order-1')).toEqual([id]);
    expect(await ids('--id', id)).toEqual([id]);
    expect(await ids('--id', id, '--priority', 'p1')).toEqual([id]);
    expect(await ids('--id', id, '--priority', 'P0')).toEqual([]);
    expect(await ids('--from', '-1h', '--job', 'wait')).toContain(id);
    expect(await ids('--until', '-1h')).toEqual([]);
    expect(await ids('--schedule', 'nightly')).toEqual([]);
  });

  it('last is the newest run of this key, whatever others have submitted since', async () => {
    const mine = await submit('wait');
    const made = JSON.parse((await run('keys', 'create', '--role', 'submitter', '--json')).out) as {
      secret: string;
    };
    const other = await Signalbox.connect(node.url, { key: made.secret });
    const theirs = await other.submit('wait', null);
    await other.close();
    expect((await run('runs', 'list', '--json', '-n', '1')).out).toContain(theirs.id);
    const shown = JSON.parse((await run('runs', 'show', 'last', '--json')).out) as { id: string };
    expect(shown.id).toBe(mine);
  });
});
