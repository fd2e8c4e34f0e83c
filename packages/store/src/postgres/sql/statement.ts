/** A statement as a connection runs it: the name under which it is prepared, and its text. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** The name of a statement that is not worth preparing: its text is made for one table. */
export const ONE_OFF = '';

/** A statement before the name of the schema is known. */
export type Sql = (schema: string) => Statement;

/** Built once per schema: the text of a hot statement is not put together again for each call. */
export function sql(name: string, build: (schema: string) => string): Sql {
  const bySchema = new Map<string, Statement>();
  return (schema) => {
    let statement = bySchema.get(schema);
    if (statement === undefined) {
      statement = { name, text: build(schema) };
      bySchema.set(schema, statement);
    }
    return statement;
  };
}

/**
 * The store's clock in whole milliseconds. `clock_timestamp`, not `now()`: the latter is the start
 * of the transaction, and a statement that waited for a lock would decide a lease by the past.
 */
export const CLOCK_MS = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';
