import { MIGRATIONS } from '../migrations/all-migrations.ts';
import { createGroupSegment } from '../sql/group-segments/create-group-segment.ts';
import { createSchemaMigrations } from '../sql/schema-migrations/create-schema-migrations.ts';
import { createRunSegment } from '../sql/segments/create-run-segment.ts';
import { sealSegment } from '../sql/segments/seal-segment.ts';
import { execute } from './target.ts';

/**
 * A schema as a script that creates it again: the definitions as this program creates them, then every row
 * of every table, then the constraints of sealed segments. `pg_dump` would have to match the server's version.
 */
export async function dumpSchema(url: string, s: string): Promise<string> {
  const rows = async (sql: string) => (await execute(url, sql)).rows;
  const script = [createSchemaMigrations(s).text, ...MIGRATIONS.map((migration) => migration(s))];
  const sealing: string[] = [];
  for (const row of await rows(`select * from ${s}.segments where state <> 'dropped'`)) {
    const [fromMs, toMs] = [Number(row.from_ms), Number(row.to_ms)];
    script.push(createRunSegment(s, { fromMs, toMs }));
    if (row.state === 'sealed') sealing.push(sealSegment(s, fromMs));
  }
  for (const row of await rows(`select * from ${s}.group_segments`)) {
    const [fromSeq, toSeq] = [Number(row.from_seq), Number(row.to_seq)];
    script.push(createGroupSegment(s, { fromSeq, toSeq }));
  }
  script.push(`delete from ${s}.segments; delete from ${s}.group_segments;`);
  const tables = await rows(
    `select relname from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname = '${s}' and relkind = 'r' order by relname`,
  );
  for (const { relname } of tables) {
    const name = `${s}.${relname}`;
    const literals = await rows(
      `select quote_literal(t::text) as row from ${name} t order by t::text`,
    );
    script.push(...literals.map(({ row }) => `insert into ${name} select (${row}::${name}).*;`));
  }
  return `${[...script, ...sealing].map((text) => text.trim().replace(/;?$/, ';')).join('\n')}\n`;
}
