import { type AuditEntry, StoreError } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { caller } from '../testing/small-node.ts';
import { StoreAudit } from './store-audit.ts';

it('SEC-03 an entry that the store could not take is written when it is back, in order', async () => {
  const store = createMemoryStore({ now: () => Date.now() });
  let isAway = true;
  const appendAudit = async (entry: AuditEntry) => {
    if (isAway) throw new StoreError('unavailable', 'it is away');
    return store.appendAudit(entry);
  };
  const audit = new StoreAudit({ appendAudit }, pino({ level: 'silent' }), { retryMs: 1 });
  const record = (target: string) =>
    audit.record({ caller: caller(), action: 'job.pause', target });
  for (const target of ['a', 'b']) await expect(record(target)).rejects.toThrow('away');
  isAway = false;
  await vi.waitFor(async () => {
    const rows = await store.readAudit({ tenant: 'acme', after: 0, limit: 10 });
    expect(rows.map(({ target }) => target)).toEqual(['a', 'b']);
  }, 20_000);
  await record('c');
  const rows = await store.readAudit({ tenant: 'acme', after: 0, limit: 10 });
  expect(rows.map(({ target }) => target)).toEqual(['a', 'b', 'c']);
});
