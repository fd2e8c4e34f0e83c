import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createSqliteStore } from './create-sqlite-store.ts';
import { temporaryFile } from './testing/temporary-file.ts';

const WRITER = fileURLToPath(new URL('./testing/crash-writer.ts', import.meta.url));
const LIVES = 4;
const RUN_COUNT = 20;

interface Acknowledged {
  readonly seq: number;
  readonly ms: number;
  readonly commitId: string;
}

it('DUR-02 has every acknowledged commit, whole, after a kill at a random moment', async () => {
  const file = temporaryFile();
  onTestFinished(() => file.remove());
  const acknowledged: Acknowledged[] = [];
  for (let life = 1; life <= LIVES; life++) {
    acknowledged.push(...(await liveAndDie(file.path, life)));
    await checkFile(file.path, acknowledged);
  }
  expect(acknowledged.length).toBeGreaterThan(LIVES);
});

/** Lets a writer work for a while, kills it, and answers what it had said by then. */
async function liveAndDie(path: string, life: number): Promise<Acknowledged[]> {
  const writer = spawn(process.execPath, ['--no-warnings', WRITER, path, String(life)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // Between two commits, inside one, during a checkpoint: where it dies is left to chance.
  const lineCount = 2 + Math.floor(Math.random() * 100);
  const lateByMs = Math.random() * 10;
  let isDoomed = false;
  let said = '';
  for await (const chunk of writer.stdout) {
    said += chunk;
    if (isDoomed || said.split('\n').length <= lineCount) continue;
    isDoomed = true;
    setTimeout(() => writer.kill('SIGKILL'), lateByMs);
  }
  if (writer.exitCode === null && writer.signalCode === null) await once(writer, 'exit');
  expect(writer.signalCode).toBe('SIGKILL');
  // A last line without its end was not said.
  return said
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ').map(Number) as [number, number])
    .map(([seq, ms]) => ({ seq, ms, commitId: `life ${life}, ${seq}` }));
}

async function checkFile(path: string, acknowledged: readonly Acknowledged[]): Promise<void> {
  const raw = new DatabaseSync(path);
  expect(raw.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  raw.close();
  const store = await createSqliteStore({ path });
  await store.migrate();
  const { groups, runs, ends, keys } = await store.snapshot();
  await store.close();
  const commitIds = new Map(groups.map(({ seq, commitId }) => [seq, commitId]));
  for (const { seq, commitId } of acknowledged) expect(commitIds.get(seq)).toBe(commitId);
  // Also of a commit whose acknowledgement the kill cut off: all of it is there, or nothing.
  const filled = groups.filter(({ factCount }) => factCount > 0);
  for (const rows of [runs, ends, keys]) expect(rows).toHaveLength(filled.length * RUN_COUNT);
  expect(filled.length).toBeLessThanOrEqual(acknowledged.length + LIVES);
  expect(groups.map(({ seq }) => seq)).toEqual(groups.map((_, i) => i + 1));
}
