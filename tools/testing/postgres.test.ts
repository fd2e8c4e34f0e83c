import pg from 'pg';
import { expect, it } from 'vitest';
import { createDatabase, describePostgres } from './postgres.ts';

describePostgres('the test server', () => {
  it('is durable and gives each caller an empty database', async () => {
    const client = new pg.Client({ connectionString: await createDatabase() });
    await client.connect();
    const { rows } = await client.query(
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
        (select count(*)::int from pg_tables where schemaname = 'public') as tables`,
    );
    await client.end();
    expect(rows).toEqual([{ fsync: 'on', commit: 'on', tables: 0 }]);
  });
});
