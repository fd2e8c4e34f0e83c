import { cancel } from './admit/cancel.ts';
import { changeClass } from './admit/change-class.ts';
import { submit } from './admit/submit.ts';
import { withdraw } from './admit/withdraw.ts';
import { taskEnded } from './children/fail-fast.ts';
import { type Answer, type Command, DONE } from './commands.ts';
import { failTask } from './complete/fail.ts';
import { finish, stopped } from './complete/finish.ts';
import { checkpoint, extend } from './complete/save.ts';
import { returnUnaccepted } from './complete/unaccepted.ts';
import { Core } from './core/core.ts';
import { endLingering, type Lingering } from './core/lingering.ts';
import { reviewReservations } from './core/occupy.ts';
import { accept, refuse } from './dispatch/answer.ts';
import { assign } from './dispatch/assign.ts';
import { schedule } from './dispatch/schedule.ts';
import type { Effect } from './effects.ts';
import type { Fact } from './facts/facts.ts';
import { RetryBudget } from './limits/retry-budget.ts';
import { setTenant } from './limits/tenant.ts';
import { assertNever } from './model/assert.ts';
import { DUE_LANE } from './model/book.ts';
import type { Random } from './model/random.ts';
import type { Task } from './model/run.ts';
import type { Worker } from './model/worker.ts';
import { admits, admitsKind, choose, mayTake } from './place/choose.ts';
import { taskDue } from './ready/due.ts';
import { fetchIn, type PageWanted, pageIn, pagesWanted } from './ready/paging.ts';
import { leavePartition, takePartition } from './recover/take.ts';
import { attachWorker } from './run/attach.ts';
import { attemptDue, type GiveUp } from './run/deadlines.ts';
import { beat, detachWorker, freshen, workerDue } from './run/liveness.ts';
import { cordonWorker, drainWorker, evictWorker, uncordonWorker } from './run/maintain.ts';
import { DEFAULT_SETTINGS, type EngineSettings } from './settings.ts';

/** What a step decided: facts to append, and effects to release once they are durable. */
export interface Decided {
  readonly facts: Fact[];
  readonly effects: Effect[];
}

/**
 * The scheduler as a deterministic state machine. Commands go in with the time and the dice that
 * they may use; answers, facts and effects come out. It has no clock, no promise and no input or
 * output of its own, so the simulator, diagnosis and replay drive this very code.
 */
export class Engine {
  readonly core: Core;
  readonly #retries: RetryBudget;
  #fairAt = 0;
  readonly #place = (task: Task) =>
    choose({
      index: this.core.workers,
      task,
      zoneUse: this.core.zoneCounts,
      settings: this.core.settings.placement,
      random: this.core.random,
    });
  readonly #assign = (task: Task, worker: Worker, score: number) =>
    assign(this.core, task, worker, score);
  readonly #reserve = (params: { at: number; now: number; reason: string; job: string }) =>
    this.#retries.reserve(params);
  readonly #giveUp: GiveUp = (task, reason, lingerMs) => {
    if (reason === 'stopped') return stopped(this.core, task, this.#reserve, lingerMs);
    if (reason === 'not_accepted' && returnUnaccepted(this.core, task)) return;
    const error = 'the worker went silent';
    const failure = { reason: 'worker_lost', error, lingerMs } as const;
    failTask(this.core, task, failure, this.#reserve);
  };

  constructor(settings: Partial<EngineSettings> = {}) {
    this.core = new Core({ ...DEFAULT_SETTINGS, ...settings });
    this.#retries = new RetryBudget(this.core.settings);
    this.core.onTaskEnded = (task) => taskEnded(this.core, task);
    this.core.admits = admits;
    this.core.admitsKind = admitsKind;
    this.core.mayTake = mayTake;
  }

  /** Time never falls: a step of the clock backwards must not undo a deadline. */
  apply(command: Command, now: number, random: Random): Answer {
    const core = this.core;
    core.now = Math.max(core.now, now);
    core.random = random;
    switch (command.kind) {
      case 'submit':
        return submit(core, command);
      case 'cancel':
        return cancel(core, command);
      case 'changeClass':
        return changeClass(core, command);
      case 'tick':
        return this.#tick();
      case 'freshen':
        return freshen(core);
      case 'attachWorker':
        return attachWorker(core, command, this.#giveUp);
      case 'detachWorker':
        return detachWorker(core, command);
      case 'beat':
        return beat(core, command);
      case 'accept':
        return accept(core, command);
      case 'refuse':
        return refuse(core, command);
      case 'finish':
        return finish(core, command, this.#reserve);
      case 'checkpoint':
        return checkpoint(core, command);
      case 'extend':
        return extend(core, command);
      case 'drainWorker':
        return drainWorker(core, command.worker);
      case 'cordonWorker':
        return cordonWorker(core, command.worker);
      case 'uncordonWorker':
        return uncordonWorker(core, command.worker);
      case 'evictWorker':
        return evictWorker(core, command);
      case 'setTenant':
        return setTenant(core, command);
      case 'pageIn':
        return pageIn(core, command);
      case 'fetchIn':
        return fetchIn(core, command);
      case 'takePartition':
        return takePartition(core, command.book);
      case 'leavePartition':
        return leavePartition(core, command.partition);
      case 'withdraw':
        return withdraw(core, command);
      case 'pauseFrom':
        core.pauseFrom = command.class;
        return DONE;
      default:
        return assertNever(command);
    }
  }

  /** Hands out what can be placed now. Answers whether there is more to hand out at once. */
  schedule(now: number, random: Random): boolean {
    const core = this.core;
    core.now = Math.max(core.now, now);
    core.random = random;
    if (core.now - this.#fairAt >= core.settings.fairnessMs) this.#recomputeShares();
    return schedule(core, this.#place, this.#assign);
  }

  /** Takes what has been decided since the last time. `groupNumber` is where the next facts belong. */
  take(groupNumber: number): Decided {
    const { facts, effects } = this.core;
    this.core.facts = [];
    this.core.effects = [];
    this.core.groupNumber = groupNumber;
    return { facts, effects };
  }

  pagesWanted(pending: (partition: number, lane: string) => boolean): PageWanted[] {
    return pagesWanted(this.core, pending);
  }

  /** When something is due by itself, or null. */
  nextWakeAt(): number | null {
    let at = this.core.wheel.nextAt(this.core.now);
    for (const book of this.core.books.values()) {
      if ((book.lanes.get(DUE_LANE)?.parked ?? 0) === 0) continue;
      const readAt = book.dueReadAt + this.core.settings.horizonMs / 10;
      if (at === null || readAt < at) at = readAt;
    }
    return at;
  }

  #tick(): Answer {
    for (const item of this.core.wheel.expire(this.core.now)) {
      // Something that came before it in this tick has moved its time.
      if (item.timerBucket !== null) continue;
      const due = item as Task | Worker | Lingering;
      switch (due.kind) {
        case 'task':
          if (due.attempt === null) taskDue(this.core, due);
          else attemptDue(this.core, due, this.#giveUp);
          break;
        case 'worker':
          workerDue(this.core, due, this.#giveUp);
          break;
        case 'lingering':
          endLingering(this.core, due);
          break;
        default:
          assertNever(due);
      }
    }
    return DONE;
  }

  /** Running attempts use their tenants' shares up as time goes by, not only when they end. */
  #recomputeShares(): void {
    this.#fairAt = this.core.now;
    for (const owner of this.core.activeTenants()) owner.computeKey(this.core.now);
    this.core.queues.rebuild();
    reviewReservations(this.core);
  }
}
