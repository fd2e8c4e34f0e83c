import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RunView } from '@signalbox/protocol';
import { Worker } from '@signalbox/worker';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiWorld } from './api/testing/api-world.ts';
import { connectInProcess } from './gateway/in-process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-restore-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const on = (name: string) =>
  ApiWorld.start({
    store: `file:${join(folder, name, 'signalbox.sqlite')}`,
    dataDir: join(folder, name),
  });

const submit = async (world: ApiWorld, job: string, input: unknown): Promise<string> =>
  (await world.ask('/runs', { body: { job, input }, tenant: 'acme' })).json<{ id: string }>().id;

it('SEC-14 a backup that was made while the node worked is restored: history is there, and what waited runs', async () => {
  for (const name of ['first', 'second']) mkdirSync(join(folder, name));
  const world = await on('first');
  for (const name of ['mail', 'unworked']) {
    await world.ask('/jobs', { body: { name }, tenant: 'acme' });
  }
  const key = await world.makeKey('viewer', 'acme');
  const large = 'x'.repeat(300_000);
  const ids = [await submit(world, 'mail', 'first'), await submit(world, 'mail', 'second')];
  const kept = await submit(world, 'unworked', large);
  // As docs/deploy.md says: the database first, then the large payloads.
  const database = new DatabaseSync(join(folder, 'first', 'signalbox.sqlite'));
  database.exec(`VACUUM INTO '${join(folder, 'backup.sqlite')}'`);
  database.close();
  cpSync(join(folder, 'first', 'blobs'), join(folder, 'second', 'blobs'), { recursive: true });
  const late = await submit(world, 'mail', 'after the backup');
  await world.stop();
  cpSync(join(folder, 'backup.sqlite'), join(folder, 'second', 'signalbox.sqlite'));

  const restored = await on('second');
  const inputs: unknown[] = [];
  const handlers = { mail: (input: unknown) => void inputs.push(input) };
  const transport = connectInProcess(restored.node.gateway);
  const worker = new Worker({ name: 'w', transport, handlers });
  try {
    expect((await restored.ask('/jobs/mail', { key })).status).toBe(200);
    expect((await restored.ask(`/runs/${late}`, { key })).status).toBe(404);
    await worker.start();
    for (const id of ids) {
      const view = (await restored.ask(`/runs/${id}?wait=20000`, { key })).json<RunView>();
      expect(view.state).toBe('SUCCEEDED');
    }
    expect(inputs.sort()).toEqual(['first', 'second']);
    const input = await restored.ask(`/runs/${kept}/input`, { tenant: 'acme' });
    expect(input.json<string>()).toBe(large);
  } finally {
    await worker.stop({ graceMs: 0 });
    await restored.stop();
  }
});

it('SEC-14 docs/deploy.md describes role, TLS, backup and restore of the database', () => {
  const page = readFileSync(new URL('../../../docs/deploy.md', import.meta.url), 'utf8');
  for (const words of ['### Role and database', 'sslmode=verify-full', '## Backup and restore']) {
    expect(page).toContain(words);
  }
  for (const command of ['VACUUM INTO', 'pg_dump --format=custom', 'pg_restore --no-owner']) {
    expect(page).toContain(command);
  }
});
