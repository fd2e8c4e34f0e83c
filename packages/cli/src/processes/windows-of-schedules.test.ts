import { randomBytes } from 'node:crypto';
import type { Backfilled, RunView } from '@signalbox/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, World } from '../testing/child.ts';

const KEY = randomBytes(32).toString('hex');

describe('the windows of a schedule, with node and worker apart', () => {
  const world = new World();
  let node: Running;
  let access: { SIGNALBOX_URL: string; SIGNALBOX_KEY: string };

  const call = async (...args: string[]) => {
    const done = await world.call(args, access);
    expect(done.code, done.err).toBe(0);
    return done.out;
  };
  const ask = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const answer = await fetch(`${access.SIGNALBOX_URL}/api/v1${path}`, { ...init, headers });
    return (await answer.json()) as T;
  };
  const startNode = async (port = '0') => {
    node = world.start(['node', '--port', port, '--data', 'data'], { SIGNALBOX_KEY: KEY });
    const [, url = ''] = await node.printed(/node is listening at (http:[^"\s]+)/);
    access = { SIGNALBOX_URL: url, SIGNALBOX_KEY: KEY };
  };

  beforeAll(() => startNode(), 60_000);
  afterAll(() => world.remove());

  it('reach a command and its input, also after the node was killed', async () => {
    const script =
      'cat; echo " $SIGNALBOX_WINDOW_SCHEDULE $SIGNALBOX_WINDOW_AT $SIGNALBOX_WINDOW_KIND"';
    const tasks = [{ command: { argv: ['sh', '-c', script], stdin: 'input' } }];
    await ask('/jobs/tell', { method: 'PUT', body: JSON.stringify({ tasks }) });
    const input = '${window.at.substring(0, 10)}';
    await call('schedules', 'create', 'beat', 'tell', '--every', '1h', '--input', input);
    const from = new Date(Date.now() - 2 * 3_600_000).toISOString();
    const filled = await call('schedules', 'backfill', 'beat', '--from', from, '--json');
    const { items } = JSON.parse(filled) as Backfilled;
    expect(items.length).toBeGreaterThanOrEqual(1);
    // Nobody has run them yet; whoever comes after this node has only the journal.
    node.child.kill('SIGKILL');
    await node.ended;
    await startNode(new URL(access.SIGNALBOX_URL).port);
    const args = ['worker', '--url', access.SIGNALBOX_URL, '--allow-command', '--name', 'w'];
    const worker = world.start([...args, '--command-isolation', 'none'], { SIGNALBOX_KEY: KEY });
    await worker.printed(/worker w is attached/);
    for (const { window, run } of items) {
      const { state } = await ask<RunView>(`/runs/${run}?wait=30s`);
      expect(state).toBe('SUCCEEDED');
      const out = await fetch(`${access.SIGNALBOX_URL}/api/v1/runs/${run}/output`, {
        headers: { authorization: `Bearer ${KEY}` },
      });
      expect((await out.text()).trim()).toBe(`"${window.slice(0, 10)}" beat ${window} backfill`);
    }
    await worker.stop();
    await node.stop();
  }, 90_000);
});
