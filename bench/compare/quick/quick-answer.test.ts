import { expect, it } from 'vitest';
import type { Environment } from '../environment.ts';
import { measured, SYSTEMS } from '../testing/lines.ts';
import { quickAnswer } from './quick-answer.ts';

const environment: Environment = {
  date: '2026-01-01',
  hardware: 'a machine',
  node: 'v24',
  postgres: '18',
  settings: { postgres: {}, redis: {} },
  systems: [],
};

it('answers with ratios to the peer that is best in each shape, and every round behind them', () => {
  const answer = quickAnswer({
    measurements: [
      measured({ system: 'signalbox', figures: { rate: 300 }, cpu: 0.5 }),
      measured({ system: 'signalbox', round: 1, figures: { rate: 500 }, cpu: 0.5 }),
      measured({ system: 'signalbox-embedded', figures: { rate: 600 }, cpu: 0.4 }),
      measured({ system: 'fast-peer', figures: { rate: 200 }, cpu: 2 }),
      measured({ system: 'slow-peer', figures: { rate: 100 }, cpu: 1 }),
      measured({ system: 'signalbox', shape: 'single', figures: { rate: 30 } }),
      measured({ system: 'slow-peer', shape: 'single', figures: { rate: 10 } }),
      measured({ system: 'fast-peer', shape: 'single', figures: { rate: 5 } }),
      measured({ system: 'signalbox', shape: 'latency', figures: { p50Ms: 3, p99Ms: 4 } }),
      measured({ system: 'fast-peer', shape: 'latency', figures: { p50Ms: 6, p99Ms: 9 } }),
      measured({ system: 'slow-peer', shape: 'latency', figures: { p50Ms: 7, p99Ms: 8 } }),
    ],
    systems: SYSTEMS,
    environment,
    seconds: 12.3,
  });
  expect(answer).toMatchObject({
    steadyRatio: 2,
    embeddedRatio: 3,
    singleRatio: 3,
    idleP50Ratio: 0.5,
    idleP99Ratio: 0.5,
    cpuRatio: 0.5,
    rounds: 2,
    isDisturbed: false,
    bestPeers: { steady: 'fast-peer', single: 'slow-peer', idleP50: 'fast-peer', cpu: 'slow-peer' },
  });
  expect(answer.figures['signalbox']?.['steady']?.['rate']).toEqual([300, 500]);
});
