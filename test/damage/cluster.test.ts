import { parseIdBytes, readRunId } from '@signalbox/engine';
import { diagnoseTask, examine, submitRuns } from '@signalbox/node/operations';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createDatabase, describePostgres } from '../../tools/testing/postgres.ts';
import { Box, CALLER } from './box.ts';

async function execute(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client.query(sql).finally(() => client.end());
}

describePostgres('three nodes over one PostgreSQL', () => {
  it('give the same reason for a partition that one of them stopped, until one has read it', async () => {
    const url = await createDatabase();
    const before = await Box.open(url);
    await before.define();
    const [answer] = await submitRuns(before.node.context, CALLER, { items: [{ job: 'echo' }] });
    const { id } = answer as { id: string };
    const { partition } = readRunId(parseIdBytes(id));
    await before.close();
    const where = `where partition = ${partition} and seq = 2`;
    const { rows } = await execute(url, `select body from signalbox.groups ${where}`);
    await execute(url, `update signalbox.groups set body = '\\x00' ${where}`);

    // Short, so that each node is ready soon and takes the partition again soon.
    const loop = { leaseMs: 3_000, beatMs: 500 };
    const boxes: Box[] = [];
    onTestFinished(async () => {
      for (const box of boxes) await box.close();
    });
    for (let i = 0; i < 3; i++) boxes.push(await Box.open(url, { loop }));
    for (const { node } of boxes) {
      const { checks } = await examine(node.context, CALLER, {});
      expect(checks['partitions']).toMatchObject({
        ok: false,
        detail: `stopped, because their facts cannot be read: ${partition}`,
      });
      const why = await diagnoseTask(node.context, CALLER, { id: `${id}:main` });
      expect(why).toMatchObject({ reason: 'PARTITION_STOPPED', numbers: { partition } });
    }

    const { body: bytes } = rows[0] as { body: Buffer };
    const body = bytes.toString('hex');
    await execute(url, `update signalbox.groups set body = '\\x${body}' ${where}`);
    await vi.waitFor(
      async () => {
        for (const { node } of boxes) {
          const { checks } = await examine(node.context, CALLER, {});
          expect(checks['partitions']?.ok).toBe(true);
        }
      },
      { timeout: 60_000, interval: 50 },
    );
    for (const { node } of boxes) {
      const why = await diagnoseTask(node.context, CALLER, { id: `${id}:main` }).catch(String);
      expect(JSON.stringify(why)).not.toContain('PARTITION_STOPPED');
    }
  }, 120_000);
});
