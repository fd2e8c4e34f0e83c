import { segmentFromMs } from '../../run-segment.ts';
import { type ConformanceHarness, type ConformanceTarget, waitPast } from '../target.ts';
import { comparable, type Outcome, outcomeOf, snapshotDifference } from './compare.ts';
import * as definitionOperations from './definition-operations.ts';
import * as journalOperations from './journal-operations.ts';
import * as logOperations from './log-operations.ts';
import { Model } from './model.ts';
import * as ownershipOperations from './ownership-operations.ts';
import { Random } from './random.ts';
import * as runOperations from './run-operations.ts';
import * as segmentOperations from './segment-operations.ts';
import type { Operation, Step } from './step.ts';

export interface DifferentialRun {
  readonly seed: number;
  /** At least this many; the run goes on until every operation has succeeded once. */
  readonly steps: number;
  /** The oracle. */
  readonly a: ConformanceTarget;
  readonly b: ConformanceTarget;
  /**
   * The steps between two comparisons of everything that the stores hold, in a short run; every
   * answer is compared anyway. The distance grows with the number of steps: the contents grow as
   * well, and comparing them at a fixed distance costs more than everything else in a long run.
   */
  readonly snapshotEvery?: number;
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...journalOperations,
  ...ownershipOperations,
  ...runOperations,
  ...definitionOperations,
  ...logOperations,
  ...segmentOperations,
};
const NAMES = Object.keys(OPERATIONS);
/** The journal is where the rest gets its matter from. */
const APPEND_PERCENT = 25;
/** How often an operation is tried that has not succeeded yet. */
const SOUGHT_PERCENT = 30;
const SEGMENT_MS = 300;
const PATIENCE = 20;
/** Contents are compared again after this share of the steps so far. */
const SNAPSHOT_GROWTH = 0.05;

/**
 * Puts the same seeded questions to two stores and throws at the first difference, in an answer or
 * in what they hold. Two stores that both take a clock from outside are compared to the
 * millisecond; otherwise times are left out, and only what the contract promises is compared.
 */
export async function differentialRun(run: DifferentialRun): Promise<{ steps: number }> {
  const options = { segmentMs: SEGMENT_MS, groupSegmentSize: 4 };
  const a = await run.a.create(options);
  const b = await run.b.create(options);
  try {
    const pair = new Pair(a, b, new Random(run.seed));
    const steps = await pair.run(run);
    return { steps };
  } catch (error) {
    throw new Error(`${run.a.name} and ${run.b.name} with seed ${run.seed}: ${error}`, {
      cause: error,
    });
  } finally {
    await a.close();
    await b.close();
  }
}

class Pair {
  private readonly a: ConformanceHarness;
  private readonly b: ConformanceHarness;
  private readonly random: Random;
  private readonly isExact: boolean;
  private readonly model = new Model(SEGMENT_MS);
  private readonly missing = new Set(NAMES);
  private ensuredMs = 0;

  constructor(a: ConformanceHarness, b: ConformanceHarness, random: Random) {
    this.a = a;
    this.b = b;
    this.random = random;
    this.isExact = a.setNow !== undefined && b.setNow !== undefined;
  }

  async run({ steps, snapshotEvery = 5 }: DifferentialRun): Promise<number> {
    let done = 0;
    let compareAt = snapshotEvery;
    while (done < steps || this.missing.size > 0) {
      if (done > steps * PATIENCE) throw new Error(`never succeeded: ${[...this.missing]}`);
      done++;
      const name = this.chooseOperation();
      try {
        await this.step(name);
        if (done >= compareAt) {
          await this.compareSnapshots();
          compareAt = done + Math.max(snapshotEvery, done * SNAPSHOT_GROWTH);
        }
      } catch (error) {
        throw new Error(`step ${done}, ${name}: ${error}`, { cause: error });
      }
    }
    await this.compareSnapshots();
    return done;
  }

  private chooseOperation(): string {
    if (this.random.chance(APPEND_PERCENT)) return 'append';
    const isSought = this.missing.size > 0 && this.random.chance(SOUGHT_PERCENT);
    return this.random.pick(isSought ? [...this.missing] : NAMES);
  }

  private async step(name: string): Promise<void> {
    await this.moveClocks();
    const step = OPERATIONS[name]?.(this.model, this.random) ?? null;
    if (step === null) return;
    if (step.notBeforeMs !== undefined) await this.waitPast(step.notBeforeMs);
    const outcome = await this.ask(step);
    if ('answer' in outcome) step.learn?.(outcome.answer);
    if ('refused' in outcome ? name === 'appendInvalid' : step.succeeded(outcome.answer)) {
      this.missing.delete(name);
    }
    if (step.expiresInMs !== undefined) {
      for (const harness of [this.a, this.b]) {
        await waitPast(harness, (await harness.store.now()) + step.expiresInMs);
      }
    }
  }

  private async ask(step: Step): Promise<Outcome> {
    const left = await outcomeOf(step.call(this.a.store));
    const right = await outcomeOf(step.call(this.b.store));
    const texts = [left, right].map((outcome) => comparable(outcome, step, this.isExact));
    if (texts[0] !== texts[1]) {
      const details = [left, right].map((it) => ('refused' in it ? ` (${it.message})` : ''));
      throw new Error(`answers differ\n a: ${texts[0]}${details[0]}\n b: ${texts[1]}${details[1]}`);
    }
    return left;
  }

  /** Time goes on, and the segment of the present exists before anything is put into it. */
  private async moveClocks(): Promise<void> {
    if (this.isExact) await this.waitPast((await this.a.store.now()) + this.random.below(20));
    else await waitPast(this.a, await this.b.store.now());
    this.model.nowMs = await this.a.store.now();
    const neededMs = segmentFromMs(this.model.nowMs, SEGMENT_MS);
    if (neededMs <= this.ensuredMs) return;
    const untilMs = neededMs + SEGMENT_MS;
    for (const { store } of [this.a, this.b]) await store.ensureSegments({ untilMs });
    this.ensuredMs = neededMs;
  }

  private async waitPast(ms: number): Promise<void> {
    for (const harness of [this.a, this.b]) await waitPast(harness, ms);
  }

  private async compareSnapshots(): Promise<void> {
    const [left, right] = [await this.a.snapshot(), await this.b.snapshot()];
    const difference = snapshotDifference(left, right, this.isExact);
    if (difference !== null) throw new Error(`contents differ in ${difference}`);
  }
}
