import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RunId } from '@signalbox/engine';
import { createSqliteStore } from '@signalbox/store/sqlite';

const PROGRAM = fileURLToPath(new URL('chaos-process.ts', import.meta.url));

export interface LostTasks {
  readonly tasks: number;
  readonly kills: number;
  /** Acknowledged tasks that have no run. */
  readonly lost: number;
  /** Runs that have not ended. */
  readonly open: number;
  /** Runs beyond one for each task. */
  readonly doubled: number;
  /** Tasks whose handler never ran. */
  readonly unhandled: number;
}

/**
 * Submits tasks to a node, worker and client in one process, which is killed (SIGKILL) at random moments
 * and started again. Each task has a key; a batch that was not acknowledged is sent again.
 */
export async function drillLostTasks(params: {
  tasks: number;
  /** Drawn again for each life, from the first batch that it has acknowledged. */
  lifeMs: () => number;
  killsMax?: number;
}): Promise<LostTasks> {
  const { tasks, lifeMs, killsMax = Number.POSITIVE_INFINITY } = params;
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-drill-'));
  const evidence = join(folder, 'handled');
  const path = join(folder, 'chaos.db');
  try {
    writeFileSync(evidence, new Uint8Array(tasks));
    let acknowledged = 0;
    let kills = 0;
    for (let isDone = false; !isDone; ) {
      const args = [`file:${path}`, evidence, acknowledged, tasks].map(String);
      const child = start(args);
      let timer: NodeJS.Timeout | undefined;
      const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
      lines.on('line', (line) => {
        if (line === 'done') isDone = true;
        else acknowledged = Number(line);
        if (acknowledged === tasks) clearTimeout(timer);
        else if (kills < killsMax) timer ??= setTimeout(() => child.kill('SIGKILL'), lifeMs());
      });
      const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
      clearTimeout(timer);
      if (signal === 'SIGKILL') kills++;
      else if (code !== 0) throw new Error(`the process ended with ${code ?? signal}`);
    }
    return { tasks, kills, ...(await count(path, tasks)), unhandled: unmarked(evidence) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(args: readonly string[]): ChildProcess {
  const flags = ['--disable-warning=ExperimentalWarning'];
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  return spawn(process.execPath, [...flags, PROGRAM, ...args], { stdio: [...stdio] });
}

function unmarked(evidence: string): number {
  return readFileSync(evidence).filter((byte) => byte !== 1).length;
}

/** What the file holds in the end, read from its rows and not through the API. */
async function count(path: string, tasks: number) {
  const store = await createSqliteStore({ path });
  try {
    const seen = new Uint8Array(tasks);
    let open = 0;
    let runs = 0;
    const limit = 1_000;
    for (let before: RunId | null = null; ; ) {
      const page = await store.listRuns({ tenant: 'default', before, limit });
      for (const { run, end } of page) {
        runs++;
        if (end === null) open++;
        seen[Number(Buffer.from(run.input ?? []).toString())] = 1;
      }
      before = page.at(-1)?.run.id ?? null;
      if (page.length < limit) break;
    }
    const found = seen.filter((byte) => byte === 1).length;
    return { lost: tasks - found, open, doubled: runs - found };
  } finally {
    await store.close();
  }
}
