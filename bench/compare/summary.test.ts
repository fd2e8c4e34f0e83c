import { describe, expect, it } from 'vitest';
import { bestPeer, ratioOf, summarize } from './summary.ts';
import { measured, SYSTEMS } from './testing/lines.ts';

const rates = { signalbox: 400, 'slow-peer': 50, 'fast-peer': 200, bullmq: 900 };
const lines = summarize(
  Object.entries(rates).map(([system, rate]) =>
    measured({ system, figures: { rate, p50Ms: rate / 10 } }),
  ),
);

describe('a summary', () => {
  it('has a line for each system, shape and size, with medians and ranges over the rounds', () => {
    const [line, ...others] = summarize([
      measured({ system: 'a', round: 0, figures: { rate: 10 }, cpu: 3 }),
      measured({ system: 'a', round: 1, figures: { rate: 30 }, cpu: 1 }),
      measured({ system: 'a', round: 2, figures: { rate: 20 }, cpu: 2, isDisturbed: true }),
      measured({ system: 'a', shape: 'backlog', label: '1 waiting', figures: { rate: 1 } }),
      measured({ system: 'a', shape: 'backlog', label: '2 waiting', figures: { rate: 1 } }),
    ]);
    expect(line).toMatchObject({
      rounds: 3,
      figures: { rate: { median: 20, min: 10, max: 30 } },
      cpuSecondsPer10k: { median: 2 },
      memoryMb: { worker: 102 },
      isDisturbed: true,
    });
    expect(others.map(({ label }) => label)).toEqual(['1 waiting', '2 waiting']);
  });

  it('compares with the best peer on PostgreSQL, not with another store or with itself', () => {
    const best = bestPeer(lines, { figure: 'rate', better: 'higher' }, SYSTEMS);
    expect(best?.system).toBe('fast-peer');
    expect(ratioOf('rate', lines[0], best)).toBe(2);
    expect(bestPeer(lines, { figure: 'p50Ms', better: 'lower' }, SYSTEMS)?.system).toBe(
      'slow-peer',
    );
  });

  it('has no ratio where a figure is missing', () => {
    expect(ratioOf('p99Ms', lines[0], lines[1])).toBeUndefined();
    expect(ratioOf('rate', lines[0], undefined)).toBeUndefined();
  });
});
