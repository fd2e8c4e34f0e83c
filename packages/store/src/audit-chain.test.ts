import { describe, expect, it } from 'vitest';
import {
  AUDIT_START,
  type AuditLink,
  type AuditRow,
  nextAuditRow,
  verifyAuditChain,
} from './audit-chain.ts';
import { auditEntry } from './conformance/builders.ts';

function chainOf(count: number): AuditRow[] {
  const rows: AuditRow[] = [];
  let last: AuditLink = AUDIT_START;
  for (let i = 0; i < count; i++) {
    const row = nextAuditRow(auditEntry({ target: `job:${i}` }), last, 1_000 + i);
    rows.push(row);
    last = row;
  }
  return rows;
}

/** A forger who knows the method and makes the row itself look right. */
function rehashed(rows: readonly AuditRow[], index: number, change: Partial<AuditRow>): AuditRow[] {
  const forged = [...rows];
  const row = { ...(rows[index] as AuditRow), ...change };
  forged[index] = nextAuditRow(row, rows[index - 1] ?? AUDIT_START, row.atMs);
  return forged;
}

describe('SEC-03 the chain of the audit log', () => {
  const rows = chainOf(6);

  it('holds as it was written, whole or page by page', () => {
    expect(verifyAuditChain(rows)).toBeNull();
    expect(verifyAuditChain([])).toBeNull();
    expect(verifyAuditChain(rows.slice(3), rows[2])).toBeNull();
    expect(verifyAuditChain(rows.slice(3), rows[1])).toBe(4);
  });

  it.each([
    ['tenant', 'other'],
    ['actor', 'mallory'],
    ['ip', '10.0.0.9'],
    ['action', 'job.put'],
    ['target', 'job:x'],
    ['before', null],
    ['after', '{}'],
    ['reason', ''],
    ['atMs', 5],
    ['number', 9],
    ['hash', '0'.repeat(64)],
  ] as const)('breaks at a row whose %s was edited', (field, value) => {
    const edited = rows.map((row, i) => (i === 2 ? { ...row, [field]: value } : row));
    expect(verifyAuditChain(edited)).toBe(field === 'number' ? 9 : 3);
  });

  it('breaks behind a row that was edited and hashed anew', () => {
    expect(verifyAuditChain(rehashed(rows, 2, { actor: 'mallory' }))).toBe(4);
  });

  it('breaks where a row was removed, at the beginning too', () => {
    expect(verifyAuditChain(rows.toSpliced(2, 1))).toBe(4);
    expect(verifyAuditChain(rows.slice(1))).toBe(2);
  });

  it('breaks where rows were put in another order or one was repeated', () => {
    const [first, second, third, ...rest] = rows as [AuditRow, AuditRow, AuditRow, ...AuditRow[]];
    expect(verifyAuditChain([first, third, second, ...rest])).toBe(3);
    expect(verifyAuditChain([first, second, second, third])).toBe(2);
  });

  it('does not take the place of a value for another one', () => {
    const one = nextAuditRow(auditEntry({ before: 'x', after: null }), AUDIT_START, 1);
    const two = nextAuditRow(auditEntry({ before: null, after: 'x' }), AUDIT_START, 1);
    const three = nextAuditRow(auditEntry({ before: 'null', after: 'x' }), AUDIT_START, 1);
    expect(new Set([one.hash, two.hash, three.hash]).size).toBe(3);
  });
});
