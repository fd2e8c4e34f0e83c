import { startNode } from '@signalbox/node';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../program.ts';
import { fakeApp } from '../testing/fake-app.ts';

const KEY = 'Zk3vQ9xT7mB2wR8nL5cJ1hD6gF4sA0pE';
type Node = Awaited<ReturnType<typeof startNode>>;
let node: Node;

beforeAll(async () => {
  node = await startNode({
    store: 'memory:',
    http: { host: '127.0.0.1', port: 0 },
    rootKey: KEY,
    log: pino({ level: 'silent' }),
    onFatal: () => {},
  });
  await node.ready();
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'report' });
  const defined = await fetch(`${node.url}/api/v1/jobs`, { method: 'POST', headers, body });
  expect(defined.status).toBe(201);
});
afterAll(() => node.stop());

async function run(...args: string[]) {
  const app = fakeApp({ environment: { SIGNALBOX_URL: node.url as string, SIGNALBOX_KEY: KEY } });
  const code = await runCommand(app, ['schedules', ...args]);
  return { code, out: app.texts.out, err: app.texts.err };
}

describe('signalbox schedules', () => {
  it('creates, lists, shows, changes, pauses, resumes and deletes', async () => {
    expect((await run('list')).err).toContain('no schedules');
    const cron = ['--cron', '30 2 * * *', '--tz', 'Europe/Berlin'];
    const made = await run('create', 'nightly', 'report', ...cron, '--jitter', '30s');
    expect(made).toMatchObject({ code: 0 });
    expect(made.out).toContain('jitterMs: 30000');
    expect((await run()).out).toMatch(/^nightly\treport\tactive\t30 2 \* \* \* Europe\/Berlin\t2/);
    const changed = await run('create', 'nightly', 'report', '--cron', '0 4 * * *');
    expect(changed.out).toMatch(/changed: +jitterMs, when/);
    expect((await run('pause', 'nightly')).out).toBe('nightly is paused\n');
    expect(JSON.parse((await run('show', 'nightly', '--json')).out)).toMatchObject({
      state: 'paused',
      version: 3,
    });
    await run('resume', 'nightly');
    expect((await run('delete', 'nightly')).code).toBe(0);
    expect((await run('trigger', 'nightly')).code).toBe(3);
  });

  it('shows the timeline, and fills the past', async () => {
    await run('create', 'beat', 'report', '--every', '1m');
    expect((await run('timeline', 'beat')).out.split('\n')[0]).toMatch(/^\S+Z\tplanned/);
    const now = Date.now();
    const range = [
      '--from',
      new Date(now - 300_000).toISOString(),
      '--until',
      new Date(now).toISOString(),
    ];
    const dry = JSON.parse((await run('backfill', 'beat', ...range, '--dry-run', '--json')).out);
    expect(dry).toMatchObject({ dryRun: true, missing: 5 });
    const done = await run('backfill', 'beat', ...range);
    expect(done.err).toContain('5 runs made');
    expect((await run('timeline', 'beat')).out.match(/backfilled/g)).toHaveLength(5);
    expect((await run('trigger', 'beat')).out).toMatch(/^[0-9a-f-]{36}\n$/);
  });

  it('mistakes are told with the field, and change nothing', async () => {
    const { code, err } = await run('create', 'bad', 'report', '--cron', '0 0 30 2 *');
    expect(code).toBe(2);
    expect(err).toContain('definition.cron');
    expect((await run('create', 'bad', 'report', '--every', 'often')).err).toContain(
      '--every "often"',
    );
    expect((await run('show', 'bad')).code).toBe(3);
  });
});
