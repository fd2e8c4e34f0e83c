import { ONE_OFF, type Statement } from './statement.ts';

/** A scan, once in the life of a store; with a null column all rows. */
export function rowsWithoutChecksum(
  s: string,
  { table, column }: { readonly table: string; readonly column: string | null },
): Statement {
  const where = column === null ? '' : `where ${column} is null`;
  return { name: ONE_OFF, text: `select * from ${s}.${table} ${where}` };
}

/** One row by primary key. */
export function setChecksum(
  s: string,
  params: {
    readonly table: string;
    readonly column: string;
    readonly key: Readonly<Record<string, string>>;
  },
): Statement {
  const { table, column, key } = params;
  const where = Object.entries(key).map(([name, type], i) => {
    const bound = type === 'int' ? 'bigint' : type;
    return `${name} = $${i + 2}::${bound}`;
  });
  const text = `update ${s}.${table} set ${column} = $1::bigint where ${where.join(' and ')}`;
  return { name: ONE_OFF, text };
}
