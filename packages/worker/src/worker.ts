import { randomUUID } from 'node:crypto';
import type { FromNode, Ref, Unreadable } from '@signalbox/protocol/link';
import { Assignment } from './attempt/assignment.ts';
import { Attempts } from './attempt/attempts.ts';
import { failedEvent, idsOf } from './attempt/failed-event.ts';
import { Briskness } from './attempt/fast-handlers.ts';
import { type AttemptOwner, type Finish, HeldAttempt } from './attempt/held-attempt.ts';
import { type RunOwner, runAttempt } from './attempt/run-attempt.ts';
import { saveCheckpoint } from './attempt/save-checkpoint.ts';
import { unreadableFinish } from './attempt/unreadable.ts';
import { drainWorker } from './drain.ts';
import type { Assign, Executor } from './executor.ts';
import { captureConsole } from './executors/handler/console-capture.ts';
import { handlerExecutors } from './executors/handler/handler-executor.ts';
import { LifeCycle, WORKER_EDGES, type WorkerState } from './life-cycle.ts';
import { Link, type LinkOwner } from './link/link.ts';
import { helloOf, resumeOf } from './report/hello.ts';
import { ProgressBeat } from './report/progress-beat.ts';
import { Resend } from './report/resend.ts';
import type { RefuseWhy, WorkerEvent, WorkerOptions } from './worker-options.ts';

/** The list of what is held goes into one frame, which has an end. */
const HELD_MAX = 10_000;
/** A superseded attempt has a moment to clean up; its successor may be running already. */
const STALE_GRACE_MS = 1_000;
const ENDING = { succeeded: 'completing', failed: 'failing', stopped: 'stopping' } as const;

/** Runs attempts that nodes give it, and never forgets a result before a node has it. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #instance: string;
  readonly #executors: ReadonlyMap<string, Executor>;
  readonly #attempts: Attempts;
  readonly #links: readonly Link[];
  readonly #life: LifeCycle<WorkerState>;
  readonly #progress: ProgressBeat;
  readonly #resend: Resend;
  readonly #briskness = new Briskness();
  /** Of the message that is being read. */
  #accepts: HeldAttempt[] = [];
  #starts: HeldAttempt[] = [];
  #welcomed = Promise.withResolvers<void>();
  #changed = Promise.withResolvers<void>();
  #stopped: Promise<void> | null = null;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#instance = options.instance ?? randomUUID();
    const executors = [...handlerExecutors(options.handlers ?? {}), ...(options.executors ?? [])];
    this.#executors = new Map(
      executors.flatMap((executor) =>
        [executor.name, ...(executor.alsoOffers ?? [])].map((name) => [name, executor] as const),
      ),
    );
    this.#attempts = new Attempts(options.total ?? {});
    const transports = options.transports ?? (options.transport ? [options.transport] : []);
    if (transports.length === 0) throw new Error('a worker needs a transport');
    this.#links = transports.map((transport) => new Link(transport, this.#linkOwner));
    this.#progress = new ProgressBeat((link) => this.#attempts.foreignUse(link));
    this.#resend = new Resend(this.#attempts, (held) => this.#sayFinish(held, this.#links));
    this.#life = new LifeCycle({
      first: 'starting',
      edges: WORKER_EDGES,
      moved: (from, to) => this.#tell({ kind: 'worker', from, to }),
    });
  }

  get state(): WorkerState {
    return this.#life.state;
  }

  /** How much it tracks; all zero when nothing runs and every result is confirmed (WRK-16). */
  get tracking(): { held: number; running: number; occupying: number; progress: number } {
    const { size, running, occupying } = this.#attempts;
    return { held: size, running, occupying, progress: this.#progress.size };
  }

  /** Resolves when the first node has welcomed it, or it was stopped before. */
  start(): Promise<void> {
    if (this.#life.state === 'starting') {
      captureConsole();
      this.#life.to('registering');
      for (const link of this.#links) link.open();
    }
    return this.#welcomed.promise;
  }

  /** WRK-07: takes nothing new, lets short attempts finish, stops the rest, leaves in good order. */
  stop({ graceMs = 30_000 }: { graceMs?: number } = {}): Promise<void> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<void> {
    this.#life.to('draining');
    await drainWorker({
      graceMs,
      attempts: this.#attempts,
      links: this.#links,
      changed: () => this.#changed.promise,
    });
    this.#resend.stop();
    this.#progress.stop();
    await Promise.all(this.#links.map((link) => link.close()));
    this.#life.to('stopped');
    this.#welcomed.resolve();
  }

  readonly #linkOwner: LinkOwner = {
    hello: (link) =>
      helloOf({
        options: this.#options,
        instance: this.#instance,
        executors: this.#executors.keys(),
        attempts: this.#attempts,
        link,
      }),
    resume: (link) => this.#resume(link),
    received: (link, frames) => this.#received(link, frames),
    foreignUse: (link) => this.#attempts.foreignUse(link),
    event: (link, event) => {
      this.#tell({ kind: 'link', link: this.#links.indexOf(link), event });
      notify(this.#options.onLinkEvent, event);
      if (event.kind === 'welcomed') this.#welcomed.resolve();
      if (event.kind === 'disconnected') {
        for (const held of this.#attempts.all()) if (held.link === link) held.refuseExtends();
      }
      this.#refreshState();
    },
  };

  readonly #attemptOwner: AttemptOwner = {
    say: (held, frame) => held.link.say(frame),
    progressed: (held) => this.#progress.add(held),
    reportProgress: (held) => this.#progress.tellNow(held),
    saveCheckpoint: (held, state) => saveCheckpoint({ held, state, blobs: this.#options.blobs }),
    overdue: (held) => {
      if (held.isOver) return;
      const result = { kind: 'stopped' } as const;
      this.#end(held, { kind: 'finish', ref: held.ref, result, output: null });
      // In the same message: otherwise the node gives away the place that the handler still takes.
      for (const link of this.#links) link.tellForeignUse();
    },
    moved: (held, from, to) => {
      if (this.#options.onEvent === undefined) return;
      this.#tell({ kind: 'attempt', ...idsOf(held.assign), from, to });
    },
  };

  #resume(link: Link): void {
    if (this.#life.state === 'draining') link.say({ kind: 'drain' });
    for (const frame of resumeOf(this.#attempts)) link.say(frame);
  }

  #received(link: Link, frames: readonly (FromNode | Unreadable)[]): void {
    this.#briskness.goneOn();
    for (const frame of frames) this.#handle(link, frame);
    const accepts = this.#accepts;
    const starts = this.#starts;
    this.#accepts = [];
    this.#starts = [];
    // The acceptance is on its way before a handler blocks the event loop: unless all of them are
    // known to be brisk, for then most will have ended before it could be heard.
    const executors = new Set<string>();
    for (const { assign } of starts) executors.add(assign.executor);
    const areBrisk = [...executors].every((executor) => this.#briskness.is(executor));
    if (areBrisk && accepts.length > 0) this.#acceptLater(link, accepts);
    if (!areBrisk) {
      this.#accept(link, accepts);
      link.flush();
    }
    for (const held of starts) this.#run(held);
    if (areBrisk) this.#briskness.letGo(executors);
  }

  #acceptLater(link: Link, accepts: readonly HeldAttempt[]): void {
    setImmediate(() => {
      this.#briskness.goneOn();
      this.#accept(link, accepts);
    });
  }

  /** What has ended meanwhile says so by its result. */
  #accept(link: Link, held: readonly HeldAttempt[]): void {
    const refs: Ref[] = [];
    for (const each of held) if (!each.isOver) refs.push(each.ref);
    if (refs.length > 0) link.say({ kind: 'accept', refs });
  }

  #handle(link: Link, frame: FromNode | Unreadable): void {
    switch (frame.kind) {
      case 'assign':
        return this.#assigned(link, frame);
      case 'confirm':
        return this.#confirmed(frame.refs);
      case 'probe':
        for (const ref of frame.adopted ?? []) this.#adopted(link, this.#attempts.get(ref));
        link.say({ kind: 'beat', foreignUse: this.#attempts.foreignUse(link), progress: [] });
        return;
      case 'drain':
        return this.#tell({ kind: 'drainAsked', link: this.#links.indexOf(link) });
      case 'abort':
      case 'stale':
      case 'extended':
        return this.#about(link, frame);
      case 'unreadable':
        return this.#failUnreadable(link, frame);
      case 'welcome':
      case 'restate':
      case 'drained':
        return;
    }
  }

  #about(link: Link, frame: FromNode & { ref: Ref }): void {
    const held = this.#attempts.get(frame.ref);
    if (held === undefined) return;
    this.#nowOf(link, held);
    if (frame.kind === 'abort') {
      if (held.finish !== null) return;
      const { why, graceMs } = frame;
      // Half of the grace for short ones to come to their end undisturbed, half to save and stop.
      const signalMs = why === 'drained' ? graceMs / 2 : 0;
      held.stop({ why, signalMs, graceMs: graceMs - signalMs });
    } else if (frame.kind === 'extended') held.extended(frame.granted, frame.timeoutMs);
    else if (frame.kind === 'stale') {
      this.#forget(held);
      if (!held.occupies) return;
      held.stop({ why: 'stale', signalMs: 0, graceMs: STALE_GRACE_MS });
      this.#useChanged(held);
    }
  }

  /** Its progress is told again: a node that knows of none would never find that it stands still. */
  #adopted(link: Link, held: HeldAttempt | undefined): void {
    this.#nowOf(link, held);
    if (held !== undefined && held.progressValue !== null && !held.isOver) this.#progress.add(held);
  }

  /** The node behind this link owns the attempt, and counts it itself from now on. */
  #nowOf(link: Link, held: HeldAttempt | undefined): void {
    if (held === undefined || held.link === link) return;
    // The node that was asked for more time does not own the attempt any more, and does not answer.
    held.refuseExtends();
    held.link = link;
    for (const each of this.#links) this.#progress.foreignUseChanged(each);
  }

  /** What the node means cannot be known, and would be sent again as it is: the attempt fails with the reason. */
  #failUnreadable(link: Link, { ref, field }: Unreadable): void {
    const finish = unreadableFinish(ref, field);
    const held = this.#attempts.get(ref);
    if (held === undefined) return link.say(finish);
    this.#nowOf(link, held);
    if (held.occupies) held.stop({ why: 'stale', signalMs: 0, graceMs: STALE_GRACE_MS });
    this.#end(held, finish);
  }

  #confirmed(refs: readonly Ref[]): void {
    for (const ref of refs) {
      const held = this.#attempts.get(ref);
      // Only a result can be confirmed; for a running attempt it would mean losing the result.
      if (held !== undefined && held.finish !== null) this.#forget(held);
    }
  }

  #assigned(link: Link, frame: FromNode & { kind: 'assign' }): void {
    const known = this.#attempts.get(frame.ref);
    if (known !== undefined) {
      this.#nowOf(link, known);
      if (known.finish === null) this.#accepts.push(known);
      else this.#sayFinish(known, [link]);
      return;
    }
    const assign = new Assignment(frame);
    const why = this.#whyNot(assign);
    if (why !== null) return this.#refuse(link, assign, why);
    const held = new HeldAttempt({ assign, link, owner: this.#attemptOwner });
    this.#attempts.add(held);
    this.#accepts.push(held);
    this.#starts.push(held);
    this.#useChanged(held);
  }

  /** Takes the capacity where nothing speaks against it. */
  #whyNot(assign: Assign): RefuseWhy | null {
    if (this.#life.state === 'draining') return 'draining';
    if (!this.#executors.has(assign.executor)) return 'no_executor';
    if (this.#attempts.size >= HELD_MAX) return 'too_many_results';
    return this.#attempts.capacity.take(assign.request) ? null : 'full';
  }

  #refuse(link: Link, assign: Assign, why: RefuseWhy): void {
    const foreignUse = why === 'full' ? this.#attempts.foreignUse(link) : null;
    link.say({ kind: 'refuse', ref: assign.ref, foreignUse });
    if (this.#options.onEvent !== undefined) this.#tell({ kind: 'refused', ...idsOf(assign), why });
  }

  #run(held: HeldAttempt): void {
    const executor = this.#executors.get(held.assign.executor) as Executor;
    const { blobs, spans } = this.#options;
    const startedAt = performance.now();
    void runAttempt({ held, executor, blobs, spans, owner: this.#runOwner });
    this.#briskness.started(held.assign.executor, performance.now() - startedAt);
  }

  readonly #runOwner: RunOwner = {
    vacate: (held) => {
      this.#attempts.vacate(held);
      this.#useChanged(held);
    },
    ended: (held, finish) => this.#end(held, finish),
  };

  #end(held: HeldAttempt, finish: Finish): void {
    if (held.isOver) return;
    held.quiet();
    held.finish = finish;
    held.life.to(ENDING[finish.result.kind]);
    const failed = this.#options.onEvent === undefined ? null : failedEvent(held, finish);
    if (failed !== null) this.#tell(failed);
    this.#attempts.ended(held);
    this.#progress.remove(held);
    this.#sayFinish(held, held.link.welcomed ? [held.link] : this.#links);
    this.#resend.arm();
    this.#refreshState();
    this.#wake();
  }

  #sayFinish(held: HeldAttempt, links: readonly Link[]): void {
    if (held.finish === null) return;
    held.finishSaidAt = performance.now();
    for (const link of links) link.say(held.finish);
  }

  #forget(held: HeldAttempt): void {
    held.quiet();
    this.#attempts.forget(held);
    this.#progress.remove(held);
    held.life.to('forgotten');
    this.#refreshState();
    this.#wake();
  }

  /** Every node must know what is taken that it does not count itself. */
  #useChanged(held: HeldAttempt): void {
    this.#refreshState();
    const { isOver } = held;
    if (this.#links.length === 1 && !isOver) return;
    for (const link of this.#links) {
      if (isOver || link !== held.link) this.#progress.foreignUseChanged(link);
    }
  }

  #refreshState(): void {
    const { state } = this.#life;
    if (state === 'draining' || state === 'stopped') return;
    if (this.#attempts.running > 0) this.#life.to('executing');
    else this.#life.to(this.#links.some((link) => link.welcomed) ? 'idle' : 'registering');
  }

  #wake(): void {
    if (this.#life.state !== 'draining') return;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  #tell(event: WorkerEvent): void {
    notify(this.#options.onEvent, event);
  }
}

function notify<Event>(watcher: ((event: Event) => void) | undefined, event: Event): void {
  try {
    watcher?.(event);
  } catch {
    // A watcher's mistake is not the worker's.
  }
}
