import { PLATFORM } from '@signalbox/protocol';
import { type AuditEntry as NewEntry, type Store, StoreError } from '@signalbox/store';
import type { Audit } from '../../context/node-context.ts';
import type { Logger } from '../../settings/log-events.ts';

/** Entries that may wait for the store; beyond it the oldest are given up. */
const OWED_MAX = 10_000;
const RETRY_MS = 1_000;

/**
 * The audit log in the store's chain of entries. An entry is written after its change and before the response. If the
 * store fails in between, the entry is written when the store is back: the caller receives an error although the
 * change is stored.
 */
export class StoreAudit implements Audit {
  readonly #store: Pick<Store, 'appendAudit'>;
  readonly #log: Pick<Logger, 'error'>;
  readonly #retryMs: number;
  readonly #owed: NewEntry[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(
    store: Pick<Store, 'appendAudit'>,
    log: Pick<Logger, 'error'>,
    { retryMs = RETRY_MS }: { retryMs?: number } = {},
  ) {
    this.#store = store;
    this.#log = log;
    this.#retryMs = retryMs;
  }

  async record(entry: Parameters<Audit['record']>[0]): Promise<void> {
    const { caller, action, target } = entry;
    const tenant = entry.tenant ?? caller.tenant;
    const row: NewEntry = {
      tenant: tenant === '' ? PLATFORM : tenant,
      actor: caller.key,
      ip: caller.ip,
      action,
      target,
      before: entry.before ?? null,
      after: entry.after ?? null,
      reason: entry.reason ?? '',
    };
    try {
      await this.#store.appendAudit(row);
    } catch (error) {
      this.#owe(row, error);
      throw error;
    }
  }

  /** On an unknown outcome the entry may be there already: twice is better than not at all. */
  #owe(row: NewEntry, error: unknown): void {
    if (!(error instanceof StoreError) || error.kind === 'invalid') return;
    this.#owed.push(row);
    if (this.#owed.length > OWED_MAX) {
      const lost = this.#owed.shift();
      this.#log.error({ event: 'audit.entry_dropped', entry: lost }, 'audit entry dropped');
    }
    this.#arm();
  }

  #arm(): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#pay().finally(() => {
        this.#timer = null;
        if (this.#owed.length > 0) this.#arm();
      });
    }, this.#retryMs);
    this.#timer.unref();
  }

  async #pay(): Promise<void> {
    for (let row = this.#owed[0]; row !== undefined; row = this.#owed[0]) {
      try {
        await this.#store.appendAudit(row);
      } catch {
        return;
      }
      this.#owed.splice(this.#owed.indexOf(row), 1);
    }
  }
}
