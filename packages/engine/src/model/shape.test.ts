import { describe, expect, it } from 'vitest';
import { internShape, type ShapeDemands, shapesKept } from './shape.ts';

function demands(memoryMb: number): ShapeDemands {
  const request = { cpuMilli: 0, memoryMb, gpu: 0, diskMb: 0, slots: 1 };
  return { request, zone: null, labels: {}, prefer: {}, apart: [], executor: 'shape-test' };
}

describe('interned shapes', () => {
  it('are one object for the same demands', () => {
    expect(internShape(demands(1))).toBe(internShape(demands(1)));
    expect(internShape(demands(1)).id).not.toBe(internShape(demands(2)).id);
  });

  it('stay one object while they are asked for, and are forgotten after 20,000 others', () => {
    const used = internShape(demands(1));
    const unused = internShape(demands(2));
    for (let i = 0; i < 50_000; i++) {
      internShape(demands(1_000 + i));
      if (i % 5_000 === 0) expect(internShape(demands(1))).toBe(used);
    }
    expect(shapesKept()).toBeLessThanOrEqual(20_000);
    const again = internShape(demands(2));
    expect(again).not.toBe(unused);
    expect(again).toEqual({ ...unused, id: again.id });
  });
});
