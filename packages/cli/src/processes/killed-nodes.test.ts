import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '@signalbox/store';
import { createPostgresStore } from '@signalbox/store/postgres';
import { createSqliteStore } from '@signalbox/store/sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { createDatabase, hasPostgres } from '../../../../tools/testing/postgres.ts';
import { type Running, World } from '../testing/child.ts';

const KEY = randomBytes(32).toString('hex');
const SECOND = 1_000;

const world = { current: new World() };
const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  world.current.remove();
  world.current = new World();
});

/** Nodes on one store, as processes that can be killed, and a look at what became durable. */
class Nodes {
  readonly #flags: readonly string[];
  readonly #store: Store;

  constructor(store: Store, flags: readonly string[]) {
    this.#store = store;
    this.#flags = flags;
    stores.push(store);
  }

  async start(): Promise<{ node: Running; access: Record<string, string> }> {
    const log = ['--log-level', 'warn'];
    const args = ['node', '--port', '0', ...log, ...this.#flags];
    const node = world.current.start(args, { SIGNALBOX_KEY: KEY });
    const [, url = ''] = await node.printed(/node is listening at (\S+)/);
    return { node, access: { SIGNALBOX_URL: url, SIGNALBOX_KEY: KEY } };
  }

  /** Windows that have a run, in the order of their runs; waits until there are so many. */
  async windows(count: number): Promise<number[]> {
    for (;;) {
      const found: number[] = [];
      const query = { tenant: 'default', before: null, limit: 10_000 };
      for (const { run } of await this.#store.listRuns(query)) {
        const { window } = JSON.parse(run.head) as { window?: { at: number } };
        if (window !== undefined) found.push(window.at);
      }
      if (found.length >= count) return found.sort((a, b) => a - b);
    }
  }
}

async function saveSchedule(access: Record<string, string>): Promise<void> {
  const { current } = world;
  const job = await current.call(['apply', '-f', 'job.yaml', '--yes'], access);
  expect(job.code, job.err).toBe(0);
  const flags = ['--every', '1s', '--catch-up-max-windows', '100'];
  const saved = await current.call(['schedules', 'create', 'beat', 'ping', ...flags], access);
  expect(saved.code, saved.err).toBe(0);
}

async function kill({ child, ended }: Running): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

/** Every second from the first window to the last has one run: none is missing, none is there twice. */
function expectEachOnce(windows: readonly number[]): void {
  const first = windows[0] as number;
  expect(windows).toEqual(windows.map((_, i) => first + i * SECOND));
}

function defineJob(): void {
  writeFileSync(join(world.current.folder, 'job.yaml'), 'job: ping\n');
}

describe('nodes that are killed', () => {
  it('TRG-12 U017 U034 F2 on a file, again and again: every second has one run', async () => {
    defineJob();
    const path = join(world.current.folder, 'signalbox.sqlite');
    const store = await createSqliteStore({ path });
    await store.migrate();
    const nodes = new Nodes(store, ['--store', `file:${path}`]);
    let seen = 0;
    for (let life = 0; life < 4; life++) {
      const { node, access } = await nodes.start();
      if (life === 0) await saveSchedule(access);
      seen = (await nodes.windows(seen + 3)).length;
      await kill(node);
    }
    expectEachOnce(await nodes.windows(12));
  }, 240_000);

  it.skipIf(!hasPostgres)(
    'TRG-12 U017 U032 U033 F1 on PostgreSQL, two and then one: another takes over, every second has one run',
    async () => {
      defineJob();
      const url = await createDatabase();
      const store = await createPostgresStore({ url });
      await store.migrate();
      const nodes = new Nodes(store, ['--store', url]);
      const first = await nodes.start();
      const second = await nodes.start();
      await saveSchedule(first.access);
      let seen = (await nodes.windows(3)).length;
      await kill(first.node);
      seen = (await nodes.windows(seen + 3)).length;
      const third = await nodes.start();
      await kill(second.node);
      expectEachOnce(await nodes.windows(seen + 8));
      expect((await third.node.stop()).code).toBe(0);
    },
    240_000,
  );
});
