import { type Snapshot, toSnapshot } from '../snapshot.ts';
import { type AuditColumns, toAuditRow } from './audit.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { type DefinitionColumns, toDefinition } from './definitions.ts';
import { type InboxColumns, toInboxEntry } from './inbox.ts';
import { type KeyColumns, toStoredKey } from './keys.ts';
import { type LogColumns, toLogLine } from './logs.ts';
import { type PlaceColumns, toPlace } from './parked.ts';
import { toGroup, type WholeGroupColumns } from './rows/group-row.ts';
import { type EndColumns, type RunColumns, toEndRows, toRunRows } from './rows/run-row.ts';
import { type DumpedTable, dumpTable } from './sql/dump.ts';

interface LeaseColumns {
  readonly partition: number;
  readonly owner: string;
  readonly epoch: number;
  readonly expires_at_ms: number;
}

interface CheckpointColumns {
  readonly partition: number;
  readonly epoch: number;
  readonly seq: number;
}

/** Everything the store holds, from one snapshot. For checkers and tests: it reads all of it. */
export async function dump(database: Database): Promise<Snapshot> {
  return database.maintenance(async (connection) => {
    await connection.script('set transaction isolation level repeatable read, read only');
    const all = <Row extends object>(table: DumpedTable): Promise<Row[]> =>
      connection.query<Row>(step(dumpTable(database.schema, table)));
    const chunks = await all<{ partition: number; seq: number; body: Uint8Array }>(
      'checkpoint_chunks',
    );
    const keys = (await all<KeyColumns>('keys')).map(toStoredKey);
    return toSnapshot({
      groups: (await all<WholeGroupColumns>('groups')).map(toGroup),
      checkpoints: (await all<CheckpointColumns>('checkpoints')).map((row) => ({
        ...{ partition: row.partition, epoch: row.epoch, seq: row.seq },
        chunks: chunks
          .filter(({ partition, seq }) => partition === row.partition && seq === row.seq)
          .map(({ body }) => body),
      })),
      leases: (await all<LeaseColumns>('leases')).map((row) => ({
        ...{ partition: row.partition, owner: row.owner, epoch: row.epoch },
        expiresAtMs: row.expires_at_ms,
      })),
      nodes: (await all<{ node: string; address: string }>('nodes')).map(({ node, address }) => ({
        ...{ node, address },
      })),
      runs: (await all<RunColumns>('runs')).flatMap((row) => toRunRows(row)),
      ends: (await all<EndColumns>('ends')).flatMap((row) => toEndRows(row)),
      parked: (await all<PlaceColumns>('parked')).map(toPlace),
      keys: keys.flatMap(({ tenant, key, run, entry }) =>
        entry === null ? [{ tenant, key, run }] : [],
      ),
      reserved: keys.flatMap(({ tenant, key, entry }) =>
        entry === null ? [] : [{ tenant, key, entry }],
      ),
      inbox: (await all<InboxColumns>('inbox')).map(toInboxEntry),
      definitions: (await all<DefinitionColumns>('definitions')).map(toDefinition),
      logs: (await all<LogColumns>('logs')).map(toLogLine),
      audit: (await all<AuditColumns>('audit')).map(toAuditRow),
      segments: (await all<{ from_ms: number; to_ms: number; state: string }>('segments')).map(
        ({ from_ms: fromMs, to_ms: toMs, state }) => ({ fromMs, toMs, sealed: state === 'sealed' }),
      ),
    });
  });
}
