import { sha256Hex } from './sha256.ts';
import { requireTexts } from './validate-text.ts';

/** One change by a person or a key, as its maker states it. */
export interface AuditEntry {
  readonly tenant: string;
  readonly actor: string;
  readonly ip: string;
  readonly action: string;
  readonly target: string;
  /** The state before and after the change; null for none. */
  readonly before: string | null;
  readonly after: string | null;
  readonly reason: string;
}

/** An entry in its place. Every hash covers all entries of its tenant up to this one. */
export interface AuditRow extends AuditEntry {
  /** 1, 2, 3, … within the tenant. */
  readonly number: number;
  readonly atMs: number;
  readonly hash: string;
}

/** What the next entry of a tenant is tied to. */
export interface AuditLink {
  readonly number: number;
  readonly hash: string;
}

export const AUDIT_START: AuditLink = { number: 0, hash: '' };

export function validateAuditEntry(entry: AuditEntry): void {
  const { tenant, actor, ip, action, target, before, after, reason } = entry;
  requireTexts({ tenant, actor, ip, action, target, before, after, reason });
}

/** The hash of the fields that the caller provides. A list, so that the order of the fields is fixed. */
export function auditDigest(entry: AuditEntry): string {
  const { tenant, actor, ip, action, target, before, after, reason } = entry;
  return sha256Hex(JSON.stringify([tenant, actor, ip, action, target, before, after, reason]));
}

/**
 * The hash of a row: over the hash before it, its place and its digest. In two steps, because only
 * numbers and hashes are left for the second one: a database can take it inside the statement that
 * decides the number, and no lock is held during a round trip.
 */
export function auditHash(params: {
  previousHash: string;
  number: number;
  atMs: number;
  digest: string;
}): string {
  const { previousHash, number, atMs, digest } = params;
  return sha256Hex(JSON.stringify([previousHash, number, atMs, digest]));
}

/** The row that continues a chain. */
export function nextAuditRow(entry: AuditEntry, previous: AuditLink, atMs: number): AuditRow {
  const { tenant, actor, ip, action, target, before, after, reason } = entry;
  const number = previous.number + 1;
  const digest = auditDigest(entry);
  const hash = auditHash({ previousHash: previous.hash, number, atMs, digest });
  return { tenant, number, atMs, actor, ip, action, target, before, after, reason, hash };
}

/**
 * The number of the first row that does not continue the chain, or null. Rows are all of one tenant
 * in the order they were read, from the first on, or from behind `previous`, which was verified
 * before. A chain whose last rows were removed is still valid: to detect that, keep the number and
 * hash of the last row elsewhere.
 */
export function verifyAuditChain(
  rows: readonly AuditRow[],
  previous: AuditLink = AUDIT_START,
): number | null {
  let last = previous;
  for (const row of rows) {
    const { number, hash } = nextAuditRow(row, last, row.atMs);
    if (row.number !== number || row.hash !== hash) return row.number;
    last = row;
  }
  return null;
}
