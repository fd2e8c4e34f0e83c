import { cancel } from './admit/cancel.ts';
import { changeClass } from './admit/change-class.ts';
import { cancelNested, raiseNested } from './admit/nested.ts';
import { awaitedGroup, groupOfOnlyRun, isComparedWith, submit } from './admit/submit.ts';
import { forgetKeys, withdraw } from './admit/withdraw.ts';
import { addTasks } from './children/add-tasks.ts';
import { evaluate, releasePaced } from './children/evaluate.ts';
import { hearEvent } from './children/hear.ts';
import { nestedBegun, nestedEnded, nestedRefused } from './children/nested.ts';
import { notified } from './children/notified.ts';
import { pause, pauseRun, reevaluate, resume } from './children/pause.ts';
import { type GraphPorts, NO_PORTS } from './children/ports.ts';
import { drain, taskEnded } from './children/task-ended.ts';
import { isWaiting, resumeWaits, waitOver } from './children/wait.ts';
import { approve, signal } from './children/wake.ts';
import { watchRuns } from './children/watch-runs.ts';
import { type Answer, type Command, DONE } from './commands.ts';
import { failTask } from './complete/fail.ts';
import { finish, stopped } from './complete/finish.ts';
import { checkpoint, extend } from './complete/save.ts';
import { returnUnaccepted } from './complete/unaccepted.ts';
import { refusalOf } from './core/check-command.ts';
import { Core, type FollowedEnd, NO_ENDS } from './core/core.ts';
import { recomputeShares } from './core/fair-share.ts';
import { endLingering, type Lingering } from './core/lingering.ts';
import { oweEnd } from './core/nested-words.ts';
import { reviewReservations } from './core/occupy.ts';
import type { Pacer } from './core/pacer.ts';
import type { WatchTimer } from './core/watch-timer.ts';
import { UTC } from './cron/zone.ts';
import { accept, refuse } from './dispatch/answer.ts';
import { assign } from './dispatch/assign.ts';
import { schedule } from './dispatch/schedule.ts';
import type { Effect } from './effects.ts';
import type { Fact, RunEnded } from './facts/facts.ts';
import { RetryBudget } from './limits/retry-budget.ts';
import { setTenant } from './limits/tenant.ts';
import { assertNever } from './model/assert.ts';
import type { Book } from './model/book.ts';
import { DUE_LANE } from './model/lane.ts';
import type { Random } from './model/random.ts';
import type { Run, Task } from './model/run.ts';
import { type Schedule, scheduleKey } from './model/schedule.ts';
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
import { armAll, armSome, disarmAll, makeDue } from './triggers/arm.ts';
import { groupOfMeeting, meetWindow } from './triggers/meet-window.ts';
import { openWindows } from './triggers/open-windows.ts';
import { NO_TEMPLATES, type TriggerPorts, type WindowInput } from './triggers/ports.ts';
import { rememberedRecurrences, type ZoneOf } from './triggers/recurrence.ts';
import { setJob, setSchedule } from './triggers/set-schedule.ts';
import { NO_WORDS, type Word } from './words.ts';

/** What a step decided: facts to append, and effects to release once they are durable. */
export interface Decided {
  readonly facts: Fact[];
  readonly effects: Effect[];
}

/** What the engine is handed because it has no business knowing it. */
export interface EnginePorts extends GraphPorts {
  /** Absent where no schedule has a template for its input. */
  readonly windowInput?: WindowInput;
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
    const error = 'the worker stopped sending heartbeats';
    const failure = { reason: 'worker_lost', error, lingerMs } as const;
    failTask(this.core, task, failure, this.#reserve);
  };

  readonly #triggers: TriggerPorts;
  readonly #graphPorts: GraphPorts;

  /** `zoneOf`: the clocks of the world; without it there is only UTC. */
  constructor(
    settings: Partial<EngineSettings> = {},
    zoneOf: ZoneOf = onlyUtc,
    graphPorts: EnginePorts = NO_PORTS,
  ) {
    this.#graphPorts = graphPorts;
    this.core = new Core({ ...DEFAULT_SETTINGS, ...settings });
    this.#retries = new RetryBudget(this.core.settings);
    this.#triggers = {
      recurrenceOf: rememberedRecurrences(zoneOf),
      submit: (command) => submit(this.core, command),
      awaitedGroup: (command) => awaitedGroup(this.core, command),
      cancel: (command) => cancel(this.core, command),
      windowInput: graphPorts.windowInput ?? NO_TEMPLATES,
    };
    this.core.onTaskEnded = (task) => taskEnded(this.core, task);
    this.core.evaluate = (task) => evaluate(this.core, task, graphPorts);
    this.core.drain = () => drain(this.core);
    this.core.pauseRun = (run, cause) => pauseRun(this.core, run, cause);
    this.core.addTasks = (task, output) => addTasks(this.core, task, { output, ports: graphPorts });
    this.core.onRunEnded = (run, fact) => this.#runEnded(run, fact);
    this.core.admits = admits;
    this.core.admitsKind = admitsKind;
    this.core.mayTake = mayTake;
  }

  /** Time never falls: a step of the clock backwards must not undo a deadline. */
  apply(command: Command, now: number, random: Random): Answer {
    const core = this.core;
    core.now = Math.max(core.now, now);
    core.random = random;
    const refusal = refusalOf(command);
    if (refusal !== null) return refusal;
    switch (command.kind) {
      case 'submit':
        if (command.head.expects !== undefined) return meetWindow(core, command, this.#triggers);
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
        return this.#take(command.book);
      case 'leavePartition':
        return this.#leave(command.partition);
      case 'setSchedule':
        return setSchedule(core, command, this.#triggers);
      case 'setJob':
        return setJob(core, command);
      case 'pauseRun':
        return pause(core, command);
      case 'resumeRun':
        return resume(core, command);
      case 'reevaluate':
        return reevaluate(core, command);
      case 'approve':
        return approve(core, command);
      case 'event':
        return hearEvent(core, command, this.#graphPorts);
      case 'signal':
        return signal(core, command);
      case 'nestedBegun':
        return nestedBegun(core, command);
      case 'nestedRefused':
        return nestedRefused(core, command);
      case 'nestedEnded':
        return nestedEnded(core, command);
      case 'cancelNested':
        return cancelNested(core, command);
      case 'raiseNested':
        return raiseNested(core, command);
      case 'notified':
        return notified(core, command);
      case 'follow':
        core.followers = command.tenants;
        return DONE;
      case 'withdraw':
        return withdraw(core, command);
      case 'forgetKeys':
        return forgetKeys(core, command);
      case 'pauseFrom':
        core.pauseFrom = command.class;
        return DONE;
      default:
        return assertNever(command);
    }
  }

  /** Opens windows that are due and hands out what can be placed. Answers whether there is more. */
  schedule(now: number, random: Random): boolean {
    const core = this.core;
    core.now = Math.max(core.now, now);
    core.random = random;
    if (core.now - this.#fairAt >= core.settings.fairnessMs) this.#recomputeShares();
    const unarmed = armSome(core, this.#triggers);
    const more = openWindows(core, this.#triggers) || unarmed;
    return schedule(core, this.#place, this.#assign) || more;
  }

  /** Takes what has been decided since the last time. `groupNumber` is where the next facts belong. */
  take(groupNumber: number): Decided {
    const { facts, effects } = this.core;
    this.core.facts = [];
    this.core.pendingBytes = 0;
    this.core.effects = [];
    this.core.groupNumber = groupNumber;
    return { facts, effects };
  }

  /**
   * The group that has to be durable before the command can be decided; null where it can be now. A
   * submission under an idempotency key is provisional until then: the store may refuse the key.
   */
  awaitedGroup(command: Command): number | null {
    const { core } = this;
    switch (command.kind) {
      case 'submit': {
        const { partition, spec, head } = command;
        const group = awaitedGroup(core, command);
        if (group !== null || head.expects === undefined) return group;
        return groupOfMeeting(core, { partition, tenant: spec.tenant, name: head.expects });
      }
      case 'setSchedule': {
        // Windows of the version before are decided first.
        const { partition, tenant, schedule: name } = command;
        const schedule = core.books.get(partition)?.schedules.get(scheduleKey(tenant, name));
        if (schedule === undefined) return null;
        const { job } = schedule.spec;
        const group = groupOfOnlyRun(core, { partition, tenant, job });
        return group ?? groupOfMeeting(core, { partition, tenant, name });
      }
      case 'cancelNested':
        return core.keys.provisionalGroup(command.tenant, command.key);
      default:
        return null;
    }
  }

  /**
   * These were answered together, and the store may refuse a key of theirs: then none of them was ever
   * there, so each new run among them is provisional, also one without a key. Only runs that others are
   * compared with are marked: most requests have none, and a look-up for each would cost throughput.
   */
  refusableTogether(commands: readonly Command[], answers: readonly Answer[]): void {
    const { books, groupNumber } = this.core;
    for (let i = 0; i < answers.length; i++) {
      const command = commands[i] as Command;
      const answer = answers[i] as Answer;
      if (command.kind !== 'submit' || answer.kind !== 'accepted') continue;
      if (!isComparedWith(command)) continue;
      const run = books.get(answer.partition)?.runs.get(answer.seq);
      if (run !== undefined) run.provisionalIn = groupNumber;
    }
  }

  /** Groups up to this one are durable: nothing of them is provisional any more. */
  confirm(groupNumber: number): void {
    const { core } = this;
    core.durableGroup = groupNumber;
    core.keys.confirm(groupNumber);
    for (const schedule of core.undecidedSchedules) makeDue(core, schedule);
    core.undecidedSchedules.clear();
  }

  /** Ends that their tenants follow, of the facts that were decided since the last time. */
  takeEnds(): readonly FollowedEnd[] {
    const { ends } = this.core;
    this.core.ends = NO_ENDS;
    return ends;
  }

  /** What decisions since the last time owe to runs of other partitions. */
  takeWords(): readonly Word[] {
    const { words } = this.core;
    this.core.words = NO_WORDS;
    return words;
  }

  pagesWanted(pending: (partition: number, lane: string) => boolean): PageWanted[] {
    return pagesWanted(this.core, pending);
  }

  /** Jobs of due schedules that are not known here: to be read, and handed in with `setJob`. */
  jobsWanted(): Iterable<{ partition: number; tenant: string; job: string }> {
    return this.core.jobsWanted.values();
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
    for (const item of this.core.wheel.expire(this.core.now, this.core.settings.timersPerTick)) {
      // Something that came before it in this tick has moved its time.
      if (item.timerBucket !== null) continue;
      const due = item as Task | Worker | Lingering | Schedule | Pacer | WatchTimer;
      switch (due.kind) {
        case 'task':
          if (due.attempt !== null) attemptDue(this.core, due, this.#giveUp);
          else if (isWaiting(due)) waitOver(this.core, due);
          else taskDue(this.core, due);
          break;
        case 'pacer':
          releasePaced(this.core);
          break;
        case 'watch':
          if (watchRuns(this.core)) this.core.watch();
          break;
        case 'worker':
          workerDue(this.core, due, this.#giveUp);
          break;
        case 'lingering':
          endLingering(this.core, due);
          break;
        case 'schedule':
          makeDue(this.core, due);
          break;
        default:
          assertNever(due);
      }
    }
    return DONE;
  }

  #take(book: Book): Answer {
    const answer = takePartition(this.core, book);
    armAll(this.core, book, this.#triggers);
    for (const run of book.runs.values()) {
      if (run.spec.tasks.some((task) => task.step.wait !== null)) resumeWaits(this.core, run);
      else if (run.graph !== null) resumeWaits(this.core, run);
    }
    return answer;
  }

  #leave(partition: number): Answer {
    const book = this.core.books.get(partition);
    if (book !== undefined) disarmAll(this.core, book);
    return leavePartition(this.core, partition);
  }

  /** A window that waited for this run may fire, and other runs may start because of it. */
  #runEnded(run: Run, fact: RunEnded): void {
    const { core } = this;
    const { tenant } = run.spec;
    if (core.followers.size > 0 && core.followers.has(tenant)) {
      if (core.ends === NO_ENDS) core.ends = [{ run, fact }];
      else core.ends.push({ run, fact });
    }
    if (run.head.nested !== undefined) oweEnd(core, run, fact);
    if (run.head.window === undefined) return;
    const { schedules } = core.bookOf(run);
    const schedule = schedules.get(scheduleKey(tenant, run.head.window.schedule));
    if ((schedule?.held?.length ?? 0) > 0) makeDue(core, schedule as Schedule);
  }

  /** Running attempts use their tenants' shares up as time goes by, not only when they end. */
  #recomputeShares(): void {
    this.#fairAt = this.core.now;
    recomputeShares(this.core);
    reviewReservations(this.core);
  }
}

function onlyUtc(name: string): typeof UTC {
  if (name !== 'UTC') throw new RangeError(`this node does not know the time zone ${name}`);
  return UTC;
}
