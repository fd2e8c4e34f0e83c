import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../../tools/postgres.ts';
import { describePostgres } from '../../../../tools/testing/postgres.ts';
import { part, runRow } from '../conformance/builders.ts';
import { StoreError } from '../errors.ts';
import { openStore } from './testing/target.ts';

const ROUNDS = 3;
const COMMITS_BEFORE_KILL = 40;

describePostgres('a server that is killed', () => {
  it('DUR-02 F7 has every commit that was acknowledged, and whole ones only', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'signalbox-crash-'));
    let server: PostgresServer = await startPostgres({ dataDir: dir });
    const port = Number(new URL(server.url).port);
    const store = await openStore({ url: server.url, responseTimeoutMs: 5_000 });
    onTestFinished(async () => {
      await store.close();
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    });
    const lease = await acquire(store);
    let { seq } = lease;
    const acknowledged: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      let isKilled = false;
      for (let i = 0; !isKilled || i < COMMITS_BEFORE_KILL; i++) {
        const commitId = `round ${round} commit ${i}`;
        const runs = [1, 2].map((n) => runRow({ ms: Date.now(), partition: n, seq: seq + 1 }));
        const next = part({ partition: 1, epoch: lease.epoch, seq: seq + 1, runs });
        const answer = store.append({ commitId, parts: [next] });
        if (i === COMMITS_BEFORE_KILL) {
          killServer(dir);
          isKilled = true;
        }
        try {
          expect(await answer).toEqual({ kind: 'committed' });
          acknowledged.push(commitId);
          seq += 1;
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          expect(['unknown', 'unavailable']).toContain(error.kind);
          break;
        }
      }
      server = await restart({ dataDir: dir, port });
      // The read-back settles what the crash left open.
      const next = await whenBack(() => store.readGroup({ partition: 1, seq: seq + 1 }));
      if (next !== null) {
        acknowledged.push(next.commitId);
        seq += 1;
      }
    }
    const groups = await store.readGroups({ partition: 1, afterSeq: lease.seq, limit: 1e6 });
    expect(groups.map(({ commitId }) => commitId)).toEqual(acknowledged);
    expect((await store.snapshot()).runs).toHaveLength(2 * acknowledged.length);
    expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS * COMMITS_BEFORE_KILL);
  }, 60_000);
});

async function acquire(store: Awaited<ReturnType<typeof openStore>>) {
  const request = { partition: 1, owner: 'a', ttlMs: 600_000, commitId: 'fence' };
  const lease = await store.acquireLease(request);
  if (lease.kind !== 'acquired') throw new Error('held');
  return lease;
}

/** The server and every process it has started, at once and without a warning. */
function killServer(dir: string): void {
  const [first] = readFileSync(join(dir, 'data', 'postmaster.pid'), 'utf8').split('\n');
  const postmaster = Number(first);
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === postmaster;
    } catch {
      return false;
    }
  });
  for (const pid of [postmaster, ...children.map(Number)]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself in between.
    }
  }
}

/** The old server's memory may take a moment to be given back. */
async function restart(options: { dataDir: string; port: number }): Promise<PostgresServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startPostgres(options);
    } catch (error) {
      if (attempt >= 20) throw error;
      await delay(100);
    }
  }
}

async function whenBack<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const isAway = error instanceof StoreError && error.kind === 'unavailable';
      if (!isAway || attempt >= 100) throw error;
      await delay(50);
    }
  }
}
