import { describe, expect, it } from 'vitest';
import { propertySeed } from '../../../../tools/testing/property.ts';
import { seededRandom } from '../model/random.ts';
import { NO_RESOURCES } from '../model/resources.ts';
import type { Task } from '../model/run.ts';
import { WorkerIndex } from '../model/worker-index.ts';
import { ZoneCounts } from '../model/zone-counts.ts';
import { DEFAULT_SETTINGS } from '../settings.ts';
import { buildWorker } from '../testing/builders.ts';
import {
  type Fleet,
  mayTake,
  randomDemands,
  randomFleet,
  randomTask,
  worthOf,
} from '../testing/fleet.ts';
import { choose } from './choose.ts';

const settings = DEFAULT_SETTINGS.placement;

function ask(fleet: Fleet, task: Task, random: { next(): number }) {
  return choose({ index: fleet.index, task, zoneUse: fleet.zoneCounts, settings, random });
}

describe('choose', () => {
  it('PLC-02: never puts a GPU task where no GPU is, nor any task where it may not be: 10,000 fleets', () => {
    const seed = propertySeed();
    const dice = seededRandom(seed);
    let placed = 0;
    for (let i = 0; i < 10_000; i++) {
      const fleet = randomFleet(dice, 1 + dice.int(8));
      const demands = randomDemands(dice);
      const gpu = 1 + dice.int(2);
      const task = randomTask(dice, { ...demands, request: { ...demands.request, gpu } });
      const { worker } = ask(fleet, task, dice);
      const fitting = [...fleet.index.workers.values()].filter((each) => mayTake(each, task));
      const where = `repeat with PROPERTY_SEED=${seed}, case ${i}`;
      if (worker === null) expect(fitting, where).toEqual([]);
      else {
        placed++;
        expect(fitting, where).toContain(worker);
        expect(worker.info.total.gpu, where).toBeGreaterThanOrEqual(gpu);
        expect(worker.status, where).toBe('healthy');
      }
    }
    expect(placed).toBeGreaterThan(500);
  });

  it('PLC-04: what P2 gets is the best of all by the formula, as a search of every worker finds it', () => {
    const seed = propertySeed();
    const dice = seededRandom(seed);
    let compared = 0;
    for (let i = 0; i < 1_500; i++) {
      const fleet = randomFleet(dice, 1 + dice.int(30));
      const task = randomTask(dice, randomDemands(dice));
      task.run.class = 2;
      const { worker, score, looked } = ask(fleet, task, dice);
      const worth = (each: typeof worker & object): number =>
        worthOf({ worker: each, task, weights: settings.weights, fleet });
      const fitting = [...fleet.index.workers.values()].filter((each) => mayTake(each, task));
      if (worker === null) {
        expect(fitting).toEqual([]);
        continue;
      }
      const best = Math.max(...fitting.map(worth));
      const where = `repeat with PROPERTY_SEED=${seed}, case ${i}`;
      expect(Math.abs(score - best), where).toBeLessThan(1e-9);
      expect(Math.abs(worth(worker) - best), where).toBeLessThan(1e-9);
      expect(looked).toBe(fleet.index.levels.length);
      compared++;
    }
    expect(compared).toBeGreaterThan(500);
  });
});

/** Every worker differs in size, so that none shares its level with another. */
function wideFleet(workers: number, gpuEvery: number): Fleet {
  const index = new WorkerIndex();
  for (let i = 0; i < workers; i++) {
    const total = { slots: 4, memoryMb: 1024 + i, gpu: i % gpuEvery === 0 ? 1 : 0 };
    const info = buildWorker({ name: `w${i}`, total });
    index.attach({ info, foreignUse: NO_RESOURCES, now: 0 });
  }
  expect(index.levels.length).toBe(workers);
  return { index, zoneCounts: new ZoneCounts() };
}

describe('how hard a class looks', () => {
  const dice = seededRandom(propertySeed());

  function counts(fleet: Fleet, klass: 0 | 1 | 2, gpu: number) {
    const task = randomTask(dice, { request: { gpu } });
    task.run.class = klass;
    return ask(fleet, task, dice);
  }

  it('PLC-04: P0 looks at 100 at most and weighs 10 of them at most', () => {
    const fleet = wideFleet(1_000, 20);
    for (let i = 0; i < 200; i++) {
      const any = counts(fleet, 0, 0);
      expect(any.worker).not.toBeNull();
      expect(any.scored).toBe(10);
      expect(any.looked).toBe(10);
      // Only one in twenty has a GPU: of a hundred that are looked at, five can be weighed.
      const rare = counts(fleet, 0, 1);
      expect(rare.worker).not.toBeNull();
      expect(rare.looked).toBe(100);
      expect(rare.scored).toBe(5);
    }
  });

  it('PLC-04: P0 does not always see the same ones', () => {
    const fleet = wideFleet(1_000, 20);
    const names = new Set(Array.from({ length: 200 }, () => counts(fleet, 0, 0).worker?.info.name));
    expect(names.size).toBeGreaterThan(50);
  });

  it('PLC-04: P1 looks at 1,000 and weighs 100, P2 looks at all and weighs all', () => {
    const fleet = wideFleet(3_000, 20);
    expect(counts(fleet, 1, 0)).toMatchObject({ looked: 100, scored: 100 });
    expect(counts(fleet, 1, 1)).toMatchObject({ looked: 1_000, scored: 50 });
    expect(counts(fleet, 2, 0)).toMatchObject({ looked: 3_000, scored: 3_000 });
    expect(counts(fleet, 2, 1)).toMatchObject({ looked: 3_000, scored: 150 });
  });

  it('PLC-04: a sample without a single candidate is not the last word, even for P0', () => {
    const fleet = wideFleet(1_000, 1_000);
    for (let i = 0; i < 50; i++) expect(counts(fleet, 0, 1).worker?.info.name).toBe('w0');
  });
});
