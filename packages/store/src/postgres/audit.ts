import { type AuditEntry, type AuditRow, auditDigest, validateAuditEntry } from '../audit-chain.ts';
import { StoreError } from '../errors.ts';
import { ANY_BYTES } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { requireText } from '../validate-text.ts';
import { silentStep, step } from './connection/step.ts';
import type { Database } from './database.ts';
import { insertAudit } from './sql/audit/insert-audit.ts';
import { lockAudit } from './sql/audit/lock-audit.ts';
import { readAudit as readAuditSql } from './sql/audit/read-audit.ts';

export interface AuditColumns extends Omit<AuditRow, 'atMs'> {
  readonly at_ms: number;
}

/** One round trip: a node that stops never holds the lock of a tenant. */
export async function appendAudit(database: Database, entry: AuditEntry): Promise<AuditRow> {
  validateAuditEntry(entry);
  const { schema } = database;
  const [, rows = []] = await database.pipeline(database.pool, [
    silentStep(lockAudit(schema), 1, (writer) => writer.text(entry.tenant)),
    step(insertAudit(schema), 9, (writer) => {
      writer.text(entry.tenant);
      writer.text(entry.actor);
      writer.text(entry.ip);
      writer.text(entry.action);
      writer.text(entry.target);
      writer.nullableText(entry.before);
      writer.nullableText(entry.after);
      writer.text(entry.reason);
      writer.text(auditDigest(entry));
    }),
  ]);
  const [row] = rows as unknown as AuditColumns[];
  if (row === undefined) throw new StoreError('unknown', 'the insert returned no row');
  return toAuditRow(row);
}

export async function readAudit(
  database: Database,
  query: Parameters<Store['readAudit']>[0],
): Promise<AuditRow[]> {
  requireText('tenant', query.tenant);
  const rows = await database.read<AuditColumns>(
    step(readAuditSql(database.schema), 4, (writer) => {
      writer.text(query.tenant);
      writer.int8(query.after);
      writer.int8(query.limit);
      writer.int8(query.bytes ?? ANY_BYTES);
    }),
  );
  return rows.map(toAuditRow);
}

export function toAuditRow(row: AuditColumns): AuditRow {
  const { tenant, number, at_ms: atMs, actor, ip, action, target, before, after } = row;
  const { reason, hash } = row;
  return { tenant, number, atMs, actor, ip, action, target, before, after, reason, hash };
}
