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

  it('U071 is a class’s own where it is alone, and never less than its window beside others', () => {
    const h = new Harness({ settings });
    expect(keep(h, 2, 50)).toBe(30);
    expect(keep(h, 1, 50)).toBe(10);
    expect(keep(h, 0, 50)).toBe(10);
  });
});
