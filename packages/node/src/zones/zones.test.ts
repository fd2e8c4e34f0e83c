import { describe, expect, it } from 'vitest';
import { findZone } from './zones.ts';

const HOUR_MS = 3_600_000;

describe('zones', () => {
  it('are found by IANA names only, whatever their case', () => {
    expect(findZone('Europe/Berlin')?.name).toBe('Europe/Berlin');
    expect(findZone('europe/berlin')).toBe(findZone('Europe/Berlin'));
    for (const name of ['Mars/Phobos', '', '+05:30', 'UTC+1', '../etc', 'x'.repeat(1_000)]) {
      expect(findZone(name), name).toBeNull();
    }
  });

  it('know their offset and how long it lasts', () => {
    const zone = findZone('Europe/Berlin');
    const summer = zone?.spanAt(Date.UTC(2025, 6, 1));
    expect(summer).toEqual({
      startMs: Date.UTC(2025, 2, 30, 1),
      endMs: Date.UTC(2025, 9, 26, 1),
      offsetMs: 2 * HOUR_MS,
    });
    expect(findZone('Africa/Monrovia')?.spanAt(0).offsetMs).toBe(-(44 * 60 + 30) * 1_000);
    expect(findZone('Asia/Kathmandu')?.spanAt(Date.UTC(2026, 0)).offsetMs).toBe(5.75 * HOUR_MS);
  });

  it('answer alike in any order of questions, also after more years than are kept', () => {
    const zone = findZone('America/Santiago');
    const other = findZone('America/Punta_Arenas');
    const ask = (year: number) => zone?.spanAt(Date.UTC(year, 6, 1));
    const years = Array.from({ length: 400 }, (_, index) => 1970 + index);
    const forth = years.map(ask);
    const back = [...years].reverse().map(ask).reverse();
    expect(back).toEqual(forth);
    expect(other?.spanAt(Date.UTC(2026, 6, 1)).offsetMs).toBe(-3 * HOUR_MS);
  });

  it('have spans without holes', () => {
    for (const name of ['Asia/Gaza', 'Pacific/Apia', 'UTC', 'Africa/Casablanca']) {
      const zone = findZone(name);
      let at = Date.UTC(1970, 0, 1);
      for (let count = 0; count < 200 && zone !== null; count++) {
        const span = zone.spanAt(at);
        expect(span.startMs).toBeLessThanOrEqual(at);
        expect(span.endMs).toBeGreaterThan(at);
        expect(zone.spanAt(span.endMs - 1).offsetMs).toBe(span.offsetMs);
        at = span.endMs;
      }
    }
  });
});
