import type { AttemptRef, AttemptResult, Resources } from '@signalbox/engine';
import { encodeBlobRef } from '@signalbox/protocol';
import { attemptKey } from '../names.ts';
import { drawPlan, type Plan } from './catalogue.ts';
import type { SimEvent } from './clockwork.ts';
import { oddDelay, oddNumber } from './edges.ts';
import type { Assignment } from './messages.ts';
import type { SimNode } from './node.ts';
import { between, chance } from './streams.ts';
import type { SimWorker } from './worker.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const CHECKPOINT_MS = 8_000;

/** One attempt on a worker: a handler that runs, and then a result that waits to be confirmed. */
export class HeldAttempt {
  readonly ref: AttemptRef;
  readonly request: Resources;
  readonly home: SimNode;
  /** What it will have produced: names the very attempt, so that no other can pass for it. */
  output: string;
  result: AttemptResult | null = null;
  readonly #worker: SimWorker;
  readonly #assignment: Assignment;
  readonly #plan: Plan;
  #startedAt = 0;
  #timers: SimEvent[] = [];

  constructor(worker: SimWorker, assignment: Assignment, home: SimNode) {
    this.#worker = worker;
    this.#assignment = assignment;
    this.ref = assignment.ref;
    this.request = assignment.request;
    this.home = home;
    const by = `${attemptKey(this.ref)} by ${worker.instance}`;
    const { behaviour } = worker.world.catalogue.job(assignment.job);
    this.output = behaviour.asks === undefined ? by : JSON.stringify({ by, ...behaviour.asks });
    const resumed = assignment.checkpoint !== null;
    const { deafShare } = worker.world.options.wild;
    this.#plan = drawPlan(worker.dice, behaviour, { resumed, deafShare });
    if (resumed) worker.world.coverage.sometimes('checkpoint resumed');
  }

  begin(): void {
    const { clockwork } = this.#worker.world;
    this.#startedAt = clockwork.now;
    const { end, ms } = this.#plan;
    if (end === 'kill') this.#later(ms, () => this.#worker.world.workerDied(this.#worker));
    else if (end !== 'never') this.#later(ms, () => this.#finish(this.#resultOf(end)));
    const { behaviour } = this.#worker.world.catalogue.job(this.#assignment.job);
    if (behaviour.checkpoints) this.#later(CHECKPOINT_MS, () => this.#save());
    // One with little time asks for more before it is over.
    const isShort = behaviour.ms[1] < 15_000;
    if (behaviour.extends) this.#later(isShort ? 3_000 : 15_000, () => this.#extend());
  }

  /** Null once it is over; -1 for a task that reports none: the beat still names it (LIV-09). */
  progress(): number | null {
    if (this.result !== null) return null;
    const { behaviour } = this.#worker.world.catalogue.job(this.#assignment.job);
    if (!behaviour.progress) return -1;
    const ranMs = this.#worker.world.clockwork.now - this.#startedAt;
    return Math.floor(Math.min(ranMs, this.#plan.freezesAtMs) / 1_000);
  }

  /** Told to stop: most handlers do so within their grace, some do not listen. */
  abort(graceMs: number, why: string): void {
    const { dice, world } = this.#worker;
    if (this.result !== null) return;
    if (!this.#plan.heedsAbort) return world.coverage.sometimes('order to stop ignored');
    const waitMs = between(dice, 0, Math.min(graceMs * 0.9, 20_000));
    if (why === 'drained' && world.catalogue.job(this.#assignment.job).behaviour.checkpoints) {
      this.#checkpoint();
    }
    this.#later(waitMs, () => this.#finish({ kind: 'stopped' }));
  }

  kill(): void {
    for (const timer of this.#timers.splice(0)) this.#worker.world.clockwork.cancel(timer);
  }

  #finish(result: AttemptResult): void {
    if (this.result !== null) return;
    this.kill();
    this.result = result;
    this.#worker.record('end', this, result.kind);
    this.#worker.finished(this);
  }

  #resultOf(end: Exclude<Plan['end'], 'never' | 'kill'>): AttemptResult {
    switch (end) {
      case 'succeed':
        return { kind: 'succeeded', output: this.#keptOutput() };
      case 'transient':
        return { kind: 'failed', error: 'ECONNRESET', ...this.#delay() };
      case 'permanent':
        return { kind: 'failed', error: 'bad input', class: 'permanent' };
      case 'resource':
        return { kind: 'failed', error: 'killed', exitCode: 137 };
    }
  }

  /** Some put what they have made into the blob store first, and hand over a reference. */
  #keptOutput(): Uint8Array {
    const { world } = this.#worker;
    const { ages } = world.options.wild;
    const { job, tenant } = this.#assignment;
    const output = encoder.encode(this.output);
    const isPlain = world.catalogue.job(job).definition.tasks?.length === 1;
    const { asks } = world.catalogue.job(job).behaviour;
    if (ages === null || !isPlain || asks !== undefined) return output;
    if (!chance(world.streams.of('blobs'), ages.blobShare)) return output;
    world.coverage.sometimes('large output kept as a blob');
    const nowMs = Math.max(this.home.calendarMs, world.disk.soonMs);
    const kept = encodeBlobRef(world.blobs.put(tenant, output, nowMs));
    this.output = decoder.decode(kept);
    return kept;
  }

  #delay(): { retryAfterMs?: number } {
    const { dice, world } = this.#worker;
    const isOdd = world.options.wild.edges && chance(dice, 0.3);
    return isOdd ? { retryAfterMs: oddDelay(dice) } : {};
  }

  #save(): void {
    if (this.result !== null) return;
    this.#checkpoint();
    this.#later(CHECKPOINT_MS, () => this.#save());
  }

  #checkpoint(): void {
    const state = encoder.encode(`state of ${attemptKey(this.ref)}`);
    this.#worker.tell({ kind: 'checkpoint', ref: this.ref, state }, null);
  }

  #extend(): void {
    if (this.result !== null) return;
    const { dice, world } = this.#worker;
    const isOdd = world.options.wild.edges && chance(dice, 0.3);
    if (isOdd) world.coverage.sometimes('number beyond its range');
    const byMs = isOdd ? oddNumber(dice) : 15_000;
    this.#worker.tell({ kind: 'extend', ref: this.ref, byMs }, null);
    this.#later(12_000, () => this.#extend());
  }

  #later(ms: number, run: () => void): void {
    const { clockwork } = this.#worker.world;
    this.#timers.push(clockwork.after(ms, this.#worker.actor, run));
  }
}
