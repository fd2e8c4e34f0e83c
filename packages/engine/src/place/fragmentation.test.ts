import { describe, expect, it } from 'vitest';
import type { Class } from '../model/classes.ts';
import { Heap, type HeapItem } from '../model/heap.ts';
import { seededRandom } from '../model/random.ts';
import type { JobSpec } from '../model/spec.ts';
import { AutoRun } from '../testing/auto-run.ts';
import { buildSpec } from '../testing/builders.ts';
import { Harness } from '../testing/harness.ts';

/** A mixed fleet in brief: what comes how often, how large, for how long. Memory runs out first. */
const MIX = [
  { name: 'api-check', often: 40, memoryMb: 512, cpuMilli: 100, seconds: 20 },
  { name: 'report', often: 25, memoryMb: 1_024, cpuMilli: 100, seconds: 60 },
  { name: 'import', often: 20, memoryMb: 2_048, cpuMilli: 200, seconds: 120 },
  { name: 'build', often: 10, memoryMb: 4_096, cpuMilli: 400, seconds: 240 },
  { name: 'train', often: 5, memoryMb: 8_192, cpuMilli: 1_000, seconds: 400 },
] as const;
const LARGEST_MB = 8_192;
const WORKERS = 60;
const WORKER_MB = 16_384;

interface Arrival {
  readonly kind: (typeof MIX)[number];
  readonly afterMs: number;
  readonly ms: number;
}

/** The same list every time. */
function recordedArrivals(count: number): Arrival[] {
  const dice = seededRandom(7);
  const drawn = MIX.flatMap((kind) => Array<(typeof MIX)[number]>(kind.often).fill(kind));
  return Array.from({ length: count }, () => {
    const kind = drawn[dice.int(drawn.length)]!;
    const ms = Math.round(kind.seconds * 1_000 * (0.3 + 1.4 * dice.next()));
    return { kind, afterMs: dice.int(900), ms };
  });
}

/** The part of what is free that lies in pieces too small for the largest job of the mix. */
function fragmentation(freeMb: readonly number[]): number {
  const free = freeMb.reduce((sum, each) => sum + each, 0);
  const usable = freeMb.reduce((sum, each) => sum + each - (each % LARGEST_MB), 0);
  return 1 - usable / free;
}

/** Averages over the second half, when the fleet is in its usual condition. */
class Meter {
  #sum = 0;
  #count = 0;
  #load = 0;

  see(freeMb: readonly number[]): void {
    this.#sum += fragmentation(freeMb);
    this.#load += 1 - freeMb.reduce((sum, each) => sum + each, 0) / (WORKERS * WORKER_MB);
    this.#count++;
  }

  get mean(): number {
    return this.#sum / this.#count;
  }

  get load(): number {
    return this.#load / this.#count;
  }
}

function placedByEngine(arrivals: readonly Arrival[], klass: Class): Meter {
  const h = new Harness();
  const meter = new Meter();
  const specs = new Map<string, JobSpec>();
  for (const { name, memoryMb, cpuMilli } of MIX) {
    specs.set(name, buildSpec({ job: name, class: klass, request: { memoryMb, cpuMilli } }));
  }
  for (let i = 0; i < WORKERS; i++) {
    h.addWorker({ name: `w${i}`, total: { slots: 64, cpuMilli: 16_000, memoryMb: WORKER_MB } });
  }
  const durations = new Map<number, number>();
  const fleet = new AutoRun(h, (attempt) => durations.get(attempt.task.run.seq)!);
  for (const [i, { kind, afterMs, ms }] of arrivals.entries()) {
    durations.set(h.submit({ spec: specs.get(kind.name)! }).seq, ms);
    fleet.run(afterMs);
    if (i < arrivals.length / 2 || i % 20 !== 0) continue;
    meter.see([...h.engine.core.workers.workers.values()].map((worker) => worker.free.memoryMb));
  }
  return meter;
}

function placedAtRandom(arrivals: readonly Arrival[]): Meter {
  const dice = seededRandom(11);
  const meter = new Meter();
  const free = Array<number>(WORKERS).fill(WORKER_MB);
  const running = new Heap<HeapItem & { at: number; worker: number; memoryMb: number }>(
    (a, b) => a.at < b.at,
  );
  let now = 0;
  for (const [i, { kind, afterMs, ms }] of arrivals.entries()) {
    const { memoryMb } = kind;
    const fitting = [...free.keys()].filter((worker) => free[worker]! >= memoryMb);
    const worker = fitting[dice.int(fitting.length)];
    if (worker !== undefined) {
      free[worker]! -= memoryMb;
      running.push({ at: now + ms, worker, memoryMb, heapIndex: -1 });
    }
    now += afterMs;
    for (let next = running.peek(); next !== undefined && next.at <= now; next = running.peek()) {
      running.remove(next);
      free[next.worker]! += next.memoryMb;
    }
    if (i >= arrivals.length / 2 && i % 20 === 0) meter.see(free);
  }
  return meter;
}

describe('fragmentation', () => {
  it('PLC-07: on a recorded mix is at least 25 points lower than with random placement', () => {
    const arrivals = recordedArrivals(3_000);
    const random = placedAtRandom(arrivals);
    for (const klass of [1, 2] as const) {
      const packed = placedByEngine(arrivals, klass);
      // The same load on both, so that only the places differ.
      expect(Math.abs(packed.load - random.load)).toBeLessThan(0.02);
      expect(random.mean - packed.mean).toBeGreaterThan(0.25);
      expect(packed.mean).toBeLessThan(0.2);
    }
  });
});
