import { Client } from 'pg';
import { expect, it } from 'vitest';
import { createDatabase, describePostgres } from '../../tools/testing/postgres.ts';
import { BLOCKS } from './blocks.ts';

const samples = BLOCKS.filter(({ language }) => language === 'sql');

describePostgres('SQL samples of the pages', () => {
  it('are found', () => expect(samples).not.toEqual([]));

  it.each(samples)('$page line $line runs on PostgreSQL', async ({ text }) => {
    const client = new Client({ connectionString: await createDatabase() });
    await client.connect();
    // Roles and databases belong to the whole server: the names of the page may be in use there.
    const name = `page_${process.pid}`;
    const statements = text
      .replaceAll('signalbox', name)
      .split(';')
      .filter((each) => each.trim());
    try {
      for (const statement of statements) await client.query(statement);
      const owner =
        'SELECT rolname FROM pg_roles JOIN pg_database ON datdba = pg_roles.oid WHERE datname = $1';
      expect((await client.query(owner, [name])).rows).toEqual([{ rolname: name }]);
    } finally {
      await client.query(`DROP DATABASE IF EXISTS ${name}`);
      await client.query(`DROP ROLE IF EXISTS ${name}`);
      await client.end();
    }
  });
});
