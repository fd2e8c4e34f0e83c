export {
  AUDIT_START,
  type AuditEntry,
  type AuditLink,
  type AuditRow,
  verifyAuditChain,
} from './audit-chain.ts';
export type * from './contract/checkpoints.ts';
export type * from './contract/damaged-rows.ts';
export type * from './contract/inbox.ts';
export type * from './contract/journal.ts';
export type * from './contract/keys.ts';
export type * from './contract/parked.ts';
export type * from './contract/runs.ts';
export type { DamagedRow, FoundDamage, RowKind, RowPlace } from './damage/damaged-rows.ts';
export type * from './definition.ts';
export * from './errors.ts';
export * from './lease.ts';
export type { LogCursor, LogLineRow, LogQuery } from './log-lines.ts';
export {
  auditRowBytes,
  definitionBytes,
  inboxEntryBytes,
  logLineBytes,
  mayContinue,
  PAGE_BYTES,
  storedRunBytes,
} from './page-bytes.ts';
export { readCurrentDefinition } from './read-current-definition.ts';
export { type PageLimits, readOnePage, readPages } from './read-pages.ts';
export type { Segment } from './run-segment.ts';
export type { Store } from './store.ts';
