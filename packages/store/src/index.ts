export {
  AUDIT_START,
  type AuditEntry,
  type AuditLink,
  type AuditRow,
  verifyAuditChain,
} from './audit-chain.ts';
export * from './errors.ts';
export type { LogCursor, LogLineRow, LogQuery } from './log-lines.ts';
export { inboxEntryBytes } from './page-bytes.ts';
export * from './store.ts';
