import { describe, expect, it } from 'vitest';
import type { Class } from '../model/classes.ts';
import { Harness } from '../testing/harness.ts';

describe('memory for what waits', () => {
  const settings = { queueWindow: 100, pageSize: 2, classWindow: 10, nodeWindow: 30 };

  /** How many of so many submissions are kept in memory. */
  function keep(h: Harness, klass: Class, count: number): number {
    const before = h.engine.core.queues.size[klass];
    for (let i = 0; i < count; i += 1) h.trySubmit({ runClass: klass });
    return h.engine.core.queues.size[klass] - before;
  }

  it('is a class’s own where it is alone, and never less than its window beside others', () => {
    const h = new Harness({ settings });
    expect(keep(h, 2, 50)).toBe(30);
    expect(keep(h, 1, 50)).toBe(10);
    expect(keep(h, 0, 50)).toBe(10);
  });

  it('in a crowd a tenant gets its next page when half of one is left, not while there is a window', () => {
    const h = new Harness({ settings: { ...settings, pageSize: 4, nodeWindow: 10 } });
    keep(h, 2, 10);
    for (let i = 0; i < 8; i += 1) h.trySubmit({ tenant: 'other', runClass: 2 });
    expect(h.engine.core.ofTenant('other', 2).queued).toBe(4);
    const wanted = () => h.engine.pagesWanted(() => false).map(({ limit }) => limit);
    expect(wanted()).toEqual([]);
    h.addWorker({ total: { slots: 13 } });
    h.step();
    expect(h.engine.core.ofTenant('other', 2).queued).toBeLessThanOrEqual(2);
    expect(wanted()).not.toEqual([]);
  });
});
