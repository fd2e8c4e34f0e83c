import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandExecutor, type HandlerContext, Worker } from '@signalbox/worker';
import { expect, it, onTestFinished } from 'vitest';
import { connectInProcess } from '../gateway/in-process.ts';
import { ApiWorld } from './testing/api-world.ts';

interface Lines {
  readonly items: { task: string; stream: string; text: string }[];
  readonly next?: string;
}

it('OBS-12 API-05 what tasks printed can be read by task, in pages, when run, worker and node have ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-logs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = `file:${join(folder, 'store.sqlite')}`;
  const before = await ApiWorld.start({ store });
  const say = (_input: unknown, { log }: HandlerContext) => log.info('from the handler');
  const worker = new Worker({
    name: 'w',
    transport: connectInProcess(before.node.gateway),
    handlers: { say },
    executors: [await commandExecutor({ allow: true })],
  });
  await worker.start();
  const print = 'for (let i = 0; i < 25; i++) console.log(`line ${i}`); console.error("odd")';
  const tasks = [
    { name: 'said', handler: 'say' },
    { name: 'printed', after: ['said'], command: { argv: [process.execPath, '-e', print] } },
  ];
  await before.ask('/jobs', { body: { name: 'loud', definition: { tasks } } });
  const { id } = (await before.ask('/runs', { body: { job: 'loud' } })).json<{ id: string }>();
  const ended = await before.ask(`/runs/${id}?wait=20000`);
  expect(ended.json(), ended.text).toMatchObject({ state: 'SUCCEEDED' });
  await worker.stop();
  await before.stop();

  const after = await ApiWorld.start({ store });
  onTestFinished(() => after.stop());
  const pages = async (path: string): Promise<Lines['items'][]> => {
    const { items, next } = (await after.ask(path)).json<Lines>();
    if (next === undefined) return [items];
    const rest = path.replace(/&after=.*|$/, `&after=${encodeURIComponent(next)}`);
    return [items, ...(await pages(rest))];
  };
  // The handler's line, and what the command printed on each of its streams.
  const all = await pages(`/runs/${id}/logs?limit=1`);
  expect(all.length).toBeGreaterThanOrEqual(3);
  for (const page of all) expect(page).toHaveLength(1);
  const printed = (await pages(`/tasks/${id}:printed/logs?limit=100`)).flat();
  const texts = (stream: string) =>
    printed.flatMap((line) => (line.stream === stream ? line.text.trimEnd().split('\n') : []));
  expect(texts('stdout')).toEqual(Array.from({ length: 25 }, (_, i) => `line ${i}`));
  expect(texts('stderr')).toEqual(['odd']);
  const said = (await pages(`/tasks/${id}:said/logs?limit=100`)).flat();
  expect(said.map(({ text }) => text).join()).toContain('from the handler');
}, 60_000);
