import { type AuditEntry, PLATFORM } from '@signalbox/protocol';
import type { AuditRow, Store } from '@signalbox/store';
import type { Audit, Caller } from '../context.ts';

/** The audit log over the store's chain of entries. */
export class StoreAudit implements Audit {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async record(entry: {
    caller: Caller;
    action: string;
    target: string;
    before?: string;
    after?: string;
    reason?: string;
  }): Promise<void> {
    const { caller, action, target } = entry;
    await this.#store.appendAudit({
      tenant: caller.tenant === '' ? PLATFORM : caller.tenant,
      actor: caller.key,
      ip: caller.ip,
      action,
      target,
      before: entry.before ?? null,
      after: entry.after ?? null,
      reason: entry.reason ?? '',
    });
  }
}

export function auditView(row: AuditRow): AuditEntry {
  const { number, actor, ip, action, target, before, after, reason, hash } = row;
  const at = new Date(row.atMs).toISOString();
  return { number, at, actor, ip, action, target, before, after, reason, hash };
}
