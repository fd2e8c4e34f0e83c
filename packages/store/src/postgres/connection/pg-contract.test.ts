import pg from 'pg';
import { expect, it } from 'vitest';
import {
  createDatabase,
  describePostgres,
  hasPostgres,
} from '../../../../../tools/testing/postgres.ts';

// `connection.ts` and `pipeline.ts` depend on parts of `pg` that its documentation does not promise. These tests
// name the part that a release changed; without them, commits would hang or connections would not close.

const url = hasPostgres ? await createDatabase() : '';

/** A `Query` message of the protocol: one statement without parameters. */
function queryMessage(sql: string): Buffer {
  const text = Buffer.from(`${sql}\0`);
  const message = Buffer.alloc(5);
  message.write('Q');
  message.writeInt32BE(text.length + 4, 1);
  return Buffer.concat([message, text]);
}

/** Records the calls that `pg` makes on a custom query. */
function recorder(sql: string) {
  const calls: [name: string, ...args: unknown[]][] = [];
  const ended = Promise.withResolvers<void>();
  const query = {
    name: undefined,
    text: undefined,
    submit(connection: pg.Connection): null {
      connection.stream.write(queryMessage(sql));
      return null;
    },
    handleRowDescription: (...args: unknown[]) => calls.push(['handleRowDescription', ...args]),
    handleDataRow: (...args: unknown[]) => calls.push(['handleDataRow', ...args]),
    handleCommandComplete: (...args: unknown[]) => calls.push(['handleCommandComplete', ...args]),
    handleReadyForQuery: (...args: unknown[]) => {
      calls.push(['handleReadyForQuery', ...args]);
      ended.resolve();
    },
    handleError(error: Error, connection: pg.Connection): void {
      calls.push(['handleError', error, connection]);
      connection.once('readyForQuery', () => ended.resolve());
    },
  };
  return { query, calls, ended: ended.promise };
}

it('pg gives access to the socket of a client that is not yet connected', () => {
  const client = new pg.Client() as unknown as { connection?: { stream?: { destroy?: unknown } } };
  expect(
    typeof client.connection?.stream?.destroy,
    'pg has changed: Connection.destroy() needs client.connection.stream.destroy()',
  ).toBe('function');
});

describePostgres('pg', () => {
  const withClient = async (use: (client: pg.Client) => Promise<void>): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await use(client);
    } finally {
      await client.end();
    }
  };

  it('lets a custom query write to the socket, and calls its handlers in order', () =>
    withClient(async (client) => {
      const { query, calls, ended } = recorder("select 7 as seven, 'x' as x");
      client.query(query as unknown as pg.Submittable);
      await ended;
      expect(
        calls.map(([name]) => name),
        'pg has changed: Pipeline needs these calls in this order',
      ).toEqual([
        'handleRowDescription',
        'handleDataRow',
        'handleCommandComplete',
        'handleReadyForQuery',
      ]);
      expect(
        calls[0]?.[1],
        'pg has changed: Pipeline reads fields[].name and fields[].dataTypeID',
      ).toMatchObject({
        fields: [
          { name: 'seven', dataTypeID: 23 },
          { name: 'x', dataTypeID: 25 },
        ],
      });
      expect(
        calls[1]?.[1],
        'pg has changed: Pipeline reads columns as text from message.fields',
      ).toMatchObject({ fields: ['7', 'x'] });
    }));

  it('passes an error with the connection, which then reports that it is ready', () =>
    withClient(async (client) => {
      const { query, calls, ended } = recorder('select 1 / 0');
      client.query(query as unknown as pg.Submittable);
      await ended;
      const [name, error, connection] = calls.at(-1) ?? [];
      expect(name, 'pg has changed: Pipeline needs handleError').toBe('handleError');
      expect(
        error instanceof pg.DatabaseError && error.code,
        'pg has changed: Pipeline recognises refusals of the server by pg.DatabaseError',
      ).toBe('22012');
      expect(
        typeof (connection as { off?: unknown } | undefined)?.off,
        'pg has changed: handleError must receive the connection, an event emitter',
      ).toBe('function');
      expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    }));
});
