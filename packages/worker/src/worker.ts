import { randomUUID } from 'node:crypto';
import { AttemptRunner } from './attempt-runner.ts';
import { drainWorker } from './drain.ts';
import type { Executor } from './executor.ts';
import { captureConsole } from './executors/handler/console-capture.ts';
import { handlerExecutors } from './executors/handler/handler-executor.ts';
import { LifeCycle, WORKER_EDGES, type WorkerState } from './life-cycle.ts';
import { Link, type LinkEvent, type LinkOwner } from './link/link.ts';
import { helloOf, resumeOf } from './report/hello.ts';
import type { WorkerEvent, WorkerOptions } from './worker-options.ts';

/** Runs the attempts that nodes assign, and keeps every result until a node has confirmed it. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #instance: string;
  readonly #executors: ReadonlyMap<string, Executor>;
  readonly #links: readonly Link[];
  readonly #runner: AttemptRunner;
  readonly #life: LifeCycle<WorkerState>;
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
    const transports = options.transports ?? (options.transport ? [options.transport] : []);
    if (transports.length === 0) throw new Error('a worker needs a transport');
    this.#links = transports.map((transport) => new Link(transport, this.#linkOwner));
    const emit = (event: WorkerEvent) => notify(options.onEvent, event);
    this.#runner = new AttemptRunner({
      options,
      executors: this.#executors,
      links: this.#links,
      isDraining: () => this.#life.state === 'draining',
      changed: () => this.#attemptsChanged(),
      emit: options.onEvent === undefined ? null : emit,
    });
    this.#life = new LifeCycle({
      first: 'starting',
      edges: WORKER_EDGES,
      moved: (from, to) => emit({ kind: 'worker', from, to }),
    });
  }

  get state(): WorkerState {
    return this.#life.state;
  }

  /** Number of tracked attempts; all zero when nothing runs and every result is confirmed (WRK-16). */
  get tracking(): AttemptRunner['tracking'] {
    return this.#runner.tracking;
  }

  /** Resolves when the first node has welcomed the worker, or when it is stopped before. */
  start(): Promise<void> {
    if (this.#life.state === 'starting') {
      captureConsole();
      this.#life.to('registering');
      for (const link of this.#links) link.open();
    }
    return this.#welcomed.promise;
  }

  /** WRK-07: accepts nothing new, lets short attempts finish, stops the others, then disconnects. */
  stop({ graceMs = 30_000 }: { graceMs?: number } = {}): Promise<void> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<void> {
    this.#life.to('draining');
    await drainWorker({
      graceMs,
      attempts: this.#runner.attempts,
      links: this.#links,
      changed: () => this.#changed.promise,
    });
    this.#runner.stop();
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
        attempts: this.#runner.attempts,
        link,
      }),
    resume: (link) => {
      if (this.#life.state === 'draining') link.send({ kind: 'drain' });
      for (const frame of resumeOf(this.#runner.attempts)) link.send(frame);
    },
    received: (link, frames) => this.#runner.received(link, frames),
    foreignUse: (link) => this.#runner.attempts.foreignUse(link),
    event: (link, event) => this.#linkEvent(link, event),
  };

  #linkEvent(link: Link, event: LinkEvent): void {
    notify(this.#options.onEvent, { kind: 'link', link: this.#links.indexOf(link), event });
    notify(this.#options.onLinkEvent, event);
    if (event.kind === 'welcomed') this.#welcomed.resolve();
    if (event.kind === 'disconnected') this.#runner.disconnected(link);
    this.#refreshState();
  }

  #attemptsChanged(): void {
    this.#refreshState();
    if (this.#life.state !== 'draining') return;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  #refreshState(): void {
    const { state } = this.#life;
    if (state === 'draining' || state === 'stopped') return;
    if (this.#runner.attempts.running > 0) this.#life.to('executing');
    else this.#life.to(this.#links.some((link) => link.welcomed) ? 'idle' : 'registering');
  }
}

function notify<Event>(listener: ((event: Event) => void) | undefined, event: Event): void {
  try {
    listener?.(event);
  } catch {
    // An error of a listener must not stop the worker.
  }
}
