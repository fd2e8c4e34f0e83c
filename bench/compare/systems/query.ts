import pg from 'pg';

/** One statement on a connection of its own; the first column of the first row as a number. */
export async function queryNumber(url: string, text: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text);
    return Number(Object.values(rows[0] ?? {})[0] ?? 0);
  } finally {
    await client.end();
  }
}
