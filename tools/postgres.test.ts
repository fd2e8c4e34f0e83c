import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { expect, it } from 'vitest';
import { startPostgres } from './postgres.ts';
import { describePostgres } from './testing/postgres.ts';

async function query<Row>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows as Row[];
  } finally {
    await client.end();
  }
}

describePostgres('startPostgres', () => {
  it('keeps what is in a folder of the caller over a restart', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-kept-'));
    const first = await startPostgres({ dataDir });
    await query(first.url, 'create table kept as select 7 as n');
    await first.stop();
    await first.stop();
    const second = await startPostgres({ dataDir, settings: { max_connections: '20' } });
    expect(await query(second.url, 'select n from kept')).toEqual([{ n: 7 }]);
    expect(await query(second.url, 'show max_connections')).toEqual([{ max_connections: '20' }]);
    await second.stop();
    rmSync(dataDir, { recursive: true });
  });

  it('leaves nothing behind when its process is killed', async () => {
    const module = JSON.stringify(join(import.meta.dirname, 'postgres.ts'));
    const script = `const { startPostgres } = await import(${module});
      const { url } = await startPostgres();
      const { default: pg } = await import('pg');
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query('show data_directory');
      console.log(rows[0].data_directory);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: import.meta.dirname,
    });
    const [printed] = await once(child.stdout.setEncoding('utf8'), 'data');
    const folder = dirname(String(printed).trim());
    expect(existsSync(folder)).toBe(true);
    child.kill('SIGKILL');
    // No event crosses from a process that nobody waits for, so the folder is looked at again.
    while (existsSync(folder)) await delay(20);
  });
});
