import type { AuditEntry, AuditRow } from '../audit-chain.ts';

/** The audit log of each tenant. No method changes or removes an entry. */
export interface AuditStore {
  /**
   * Adds the tenant's next entry: numbered without a gap, timed by the store's clock, and linked by its
   * hash to every entry before it (`verifyAuditChain`), also for concurrent callers. After an `unknown`
   * error the entry may be stored; adding it again may duplicate it, which is better than losing it.
   */
  appendAudit(entry: AuditEntry): Promise<AuditRow>;
  /**
   * Entries of a tenant with a number > `after`, in order of number; at most `limit`, and with `bytes` up
   * to the entry whose `auditRowBytes` reach them.
   */
  readAudit(query: {
    tenant: string;
    after: number;
    limit: number;
    bytes?: number;
  }): Promise<AuditRow[]>;
}
