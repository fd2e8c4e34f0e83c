import { describe, expect, it } from 'vitest';
import { verifyAuditChain } from '../audit-chain.ts';
import { auditEntry } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { openWorld } from './world.ts';

export function auditSuite(target: ConformanceTarget): void {
  describe('audit log', () => {
    it('SEC-03 keeps an entry with every field, numbered, timed and hashed', async () => {
      const { store, baseMs } = await openWorld(target);
      const full = auditEntry({ after: '{"ä":"\\u0001 \' % 😀"}', reason: 'a "quoted" %s reason' });
      const bare = auditEntry({ actor: '', ip: '', before: null, after: null, reason: '' });
      const written = [await store.appendAudit(full), await store.appendAudit(bare)];
      expect(written).toMatchObject([
        { ...full, number: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
        { ...bare, number: 2, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ]);
      for (const { atMs } of written) {
        expect(Number.isSafeInteger(atMs)).toBe(true);
        expect(atMs).toBeGreaterThanOrEqual(baseMs);
      }
      const read = await store.readAudit({ tenant: 'acme', after: 0, limit: 9 });
      expect(read).toEqual(written);
      expect(verifyAuditChain(read)).toBeNull();
    });

    it('SEC-03 ties each entry to all before it: an edit is noticed', async () => {
      const { store } = await openWorld(target);
      for (let i = 0; i < 5; i++) await store.appendAudit(auditEntry({ target: `job:${i}` }));
      const rows = await store.readAudit({ tenant: 'acme', after: 0, limit: 9 });
      expect(verifyAuditChain(rows)).toBeNull();
      expect(verifyAuditChain(rows.map((row, i) => (i === 2 ? { ...row, reason: '' } : row)))).toBe(
        3,
      );
      expect(verifyAuditChain(rows.toSpliced(2, 1))).toBe(4);
      expect(verifyAuditChain(rows.toReversed())).toBe(5);
    });

    it('is read in pages, in order of number', async () => {
      const { store } = await openWorld(target);
      for (let i = 0; i < 12; i++) await store.appendAudit(auditEntry({ target: `job:${i}` }));
      const page = async (after: number, limit: number) =>
        (await store.readAudit({ tenant: 'acme', after, limit })).map(({ number }) => number);
      expect(await page(0, 5)).toEqual([1, 2, 3, 4, 5]);
      expect(await page(5, 5)).toEqual([6, 7, 8, 9, 10]);
      expect(await page(10, 5)).toEqual([11, 12]);
      expect(await page(12, 5)).toEqual([]);
      const [last] = await store.readAudit({ tenant: 'acme', after: 4, limit: 1 });
      const rest = await store.readAudit({ tenant: 'acme', after: 5, limit: 99 });
      expect(verifyAuditChain(rest, last)).toBeNull();
    });

    it('SEC-02 counts each tenant by itself and never shows another one', async () => {
      const { store } = await openWorld(target);
      for (const tenant of ['acme', 'other', 'acme', '*']) {
        await store.appendAudit(auditEntry({ tenant }));
      }
      for (const [tenant, numbers] of Object.entries({
        acme: [1, 2],
        other: [1],
        '*': [1],
        absent: [],
      })) {
        const rows = await store.readAudit({ tenant, after: 0, limit: 9 });
        expect(rows.map(({ number }) => number)).toEqual(numbers);
        expect(rows.every((row) => row.tenant === tenant)).toBe(true);
        expect(verifyAuditChain(rows)).toBeNull();
      }
    });

    it('SEC-03 is unbroken when many callers add at once', async () => {
      const { store } = await openWorld(target);
      const added = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          store.appendAudit(
            auditEntry({ tenant: i % 4 === 0 ? 'other' : 'acme', target: `job:${i}` }),
          ),
        ),
      );
      for (const [tenant, count] of Object.entries({ acme: 30, other: 10 })) {
        const rows = await store.readAudit({ tenant, after: 0, limit: 99 });
        expect(rows.map(({ number }) => number)).toEqual(
          Array.from({ length: count }, (_, i) => i + 1),
        );
        expect(verifyAuditChain(rows)).toBeNull();
        // Each caller is told of its own entry, not of somebody else's.
        const told = added.filter((row) => row.tenant === tenant);
        expect(told.sort((a, b) => a.number - b.number)).toEqual(rows);
      }
    });
  });
}
