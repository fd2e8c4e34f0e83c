import pg from 'pg';
import { measureSteady, startRig } from './loop-lives.ts';
import { openPostgres, openSqlite } from './stores.ts';

const LOAD = { warmMs: 2_000, ms: 6_000, batch: 500, inFlight: 4_000 };

/** Loop and engine on PostgreSQL, without network to workers; and what it writes per task. */
export async function measurePostgres(): Promise<Record<string, number>> {
  const { store, url, close } = await openPostgres();
  try {
    const rig = await startRig({ store, workers: 100, tenants: 200 });
    const client = new pg.Client(url ?? '');
    await client.connect();
    await measureSteady(rig, { ...LOAD, ms: 500 });
    const before = await written(client);
    const started = { cpu: process.cpuUsage(), done: rig.done() };
    const steady = await measureSteady(rig, LOAD);
    const lives = rig.done() - started.done;
    const cpu = process.cpuUsage(started.cpu);
    const after = await written(client);
    await client.end();
    await rig.stop();
    const per = (count: number) => Math.round((count / lives) * 1_000) / 1_000;
    return {
      postgresLivesPerSecond: steady.livesPerSecond,
      postgresLivesPerCommit: steady.livesPerCommit,
      insertsPerTask: per(after.inserted - before.inserted),
      updatesPerTask: per(after.updated - before.updated),
      deletesPerTask: per(after.deleted - before.deleted),
      walBytesPerTask: Math.round((after.wal - before.wal) / lives),
      nodeCpuMicrosPerTask: Math.round(((cpu.user + cpu.system) / lives) * 10) / 10,
    };
  } finally {
    await close();
  }
}

/** Rows are counted, because the server's statistics lag; updates and deletes are only in those. */
async function written(client: pg.Client) {
  const counted = await client.query(`
    select (select count(*) from signalbox.runs) + (select count(*) from signalbox.ends)
      + (select count(*) from signalbox.groups) + (select count(*) from signalbox.parked)
      + (select count(*) from signalbox.keys) inserted`);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const { rows } = await client.query(`
    select coalesce(sum(n_tup_upd), 0)::float8 updated, coalesce(sum(n_tup_del), 0)::float8 deleted,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 wal
    from pg_stat_user_tables where relname !~ '^(leases|nodes)'`);
  const inserted = Number(counted.rows[0].inserted);
  return { inserted, ...(rows[0] as { updated: number; deleted: number; wal: number }) };
}

export async function measureSqlite(): Promise<Record<string, number>> {
  const { store, close } = await openSqlite();
  try {
    const rig = await startRig({ store, workers: 100, tenants: 200 });
    // SQLite commits on this thread: nothing gathers meanwhile, so more has to arrive at once.
    const steady = await measureSteady(rig, { ...LOAD, batch: 2_000, inFlight: 8_000 });
    await rig.stop();
    return {
      sqliteLivesPerSecond: steady.livesPerSecond,
      sqliteLivesPerCommit: steady.livesPerCommit,
    };
  } finally {
    await close();
  }
}
