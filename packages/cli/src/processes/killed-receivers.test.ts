import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunView } from '@signalbox/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { createDatabase, hasPostgres } from '../../../../tools/testing/postgres.ts';
import { type Running, World } from '../testing/child.ts';

const KEY = randomBytes(32).toString('hex');
/** As many jobs as it takes for each of two nodes to own some of them. */
const JOBS = Array.from({ length: 8 }, (_, i) => `pay${i}`);

const WAIT = '{ type: paid, filter: event.data.order == input.order }';

let world = new World();
afterEach(() => {
  world.remove();
  world = new World();
});

type Access = Record<string, string>;

async function start(store: string): Promise<{ node: Running; access: Access }> {
  const args = ['node', '--port', '0', '--log-level', 'warn', '--store', store];
  const node = world.start(args, { SIGNALBOX_KEY: KEY });
  const [, url = ''] = await node.printed(/node is listening at (\S+)/);
  return { node, access: { SIGNALBOX_URL: url, SIGNALBOX_KEY: KEY } };
}

/** Exit code of a command whose node cannot do it right now, and has not done anything. */
const UNAVAILABLE = 5;

async function call(args: readonly string[], access: Access): Promise<string> {
  for (;;) {
    const { code, out, err } = await world.call(args, access);
    if (code === UNAVAILABLE) continue;
    expect(code, `${args.join(' ')}: ${err}`).toBe(0);
    return out;
  }
}

async function kill({ child, ended }: Running): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

async function send(ids: string, { SIGNALBOX_URL: url }: Access): Promise<void> {
  const type = 'application/cloudevents-batch+json';
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': type };
  const events = JOBS.map((_, order) => {
    const id = `${ids}${order}`;
    return { specversion: '1.0', id, source: '/shop', type: 'paid', data: { order } };
  });
  const body = JSON.stringify(events);
  for (;;) {
    const answer = await fetch(`${url}/api/v1/events`, { method: 'POST', headers, body });
    // Whoever is told to come back sends the same again.
    if (answer.status === 503) continue;
    expect(answer.status, await answer.text()).toBe(200);
    return;
  }
}

/** The run, once it has ended: whoever does not own it cannot tell before. */
async function ended(id: string, { SIGNALBOX_URL: url }: Access): Promise<RunView> {
  const headers = { authorization: `Bearer ${KEY}` };
  for (;;) {
    const answer = await fetch(`${url}/api/v1/runs/${id}?wait=5000`, { headers });
    const view = (await answer.json()) as RunView;
    if (answer.ok && view.state === 'SUCCEEDED') return view;
  }
}

function defineJobs(): void {
  const jobs = JOBS.map(
    (job) =>
      `job: ${job}\ntasks:\n` +
      `  - { name: first, event: ${WAIT} }\n  - { name: second, after: [first], event: ${WAIT} }\n`,
  );
  writeFileSync(join(world.folder, 'jobs.yaml'), jobs.join('---\n'));
}

describe('EXT-16 a node that is killed right after it has acknowledged an event', () => {
  it.skipIf(!hasPostgres)(
    'is heard by the waits on its own partitions and on those of the other node, once',
    async () => {
      defineJobs();
      const store = await createDatabase();
      const first = await start(store);
      const second = await start(store);
      await call(['apply', '-f', 'jobs.yaml', '--yes'], first.access);
      const runs: string[] = [];
      for (const [order, job] of JOBS.entries()) {
        const input = JSON.stringify({ order });
        const out = await call(['submit', job, input, '--json'], second.access);
        runs.push((JSON.parse(out) as { id: string }).id);
      }
      await send('e', first.access);
      await send('e', first.access);
      await kill(first.node);
      await send('f', second.access);
      for (const [order, id] of runs.entries()) {
        const { output } = await ended(id, second.access);
        // What was told twice ended the first wait alone.
        expect(output).toMatchObject({ id: `f${order}`, data: { order } });
      }
      expect((await second.node.stop()).code).toBe(0);
    },
    240_000,
  );
});
