import {
  type Attempt,
  type AttemptRef,
  add,
  type Effect,
  type Engine,
  isToWorker,
  NO_RESOURCES,
  type Resources,
  refOf,
} from '@signalbox/engine';
import type { CommitLoop } from '@signalbox/node/loop';
import type { Coverage } from '../coverage.ts';
import type { History } from '../history.ts';
import { attemptKey } from '../names.ts';
import { carried } from './edges.ts';
import type { Assignment, Hold, NodeMessage, WorkerMessage } from './messages.ts';

const decoder = new TextDecoder();

/** The worker's end of a connection, as the node holds it. */
export interface Connection {
  readonly worker: string;
  readonly id: number;
  send(message: NodeMessage): void;
}

/**
 * Joins one node's loop and the workers: effects go out as messages, messages come in as commands.
 * Everything is tied to the newest connection of a worker: a late close of an old one must not
 * detach the worker that has come back.
 */
export class Gateway {
  readonly #node: string;
  readonly #loop: CommitLoop;
  readonly #engine: Engine;
  readonly #history: History;
  readonly #coverage: Coverage;
  readonly #connections = new Map<string, Connection>();
  readonly #confirmed: Set<string>;
  readonly #onUncarried: ((error: unknown) => void) | null;

  constructor(params: {
    node: string;
    loop: CommitLoop;
    history: History;
    coverage: Coverage;
    /** Attempts that any node ever confirmed; for coverage only. */
    confirmed: Set<string>;
    /** Told of what the link cannot carry; null where nobody looks. */
    onUncarried: ((error: unknown) => void) | null;
  }) {
    this.#node = params.node;
    this.#loop = params.loop;
    this.#engine = params.loop.engine;
    this.#history = params.history;
    this.#coverage = params.coverage;
    this.#confirmed = params.confirmed;
    this.#onUncarried = params.onUncarried;
  }

  release(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (!isToWorker(effect)) continue;
      this.#count(effect);
      this.#carries(effect);
      const connection = this.#connections.get(effect.worker);
      const message = effect.kind === 'assign' ? this.#assignment(effect.attempt) : effect;
      connection?.send(message);
    }
  }

  #carries(effect: Effect): void {
    if (this.#onUncarried === null) return;
    try {
      carried(effect, this.#loop.time.now());
    } catch (error) {
      this.#onUncarried(error);
    }
  }

  receive(connection: Connection, message: WorkerMessage): void {
    const current = this.#connections.get(connection.worker);
    if (message.kind === 'attach') {
      if (current !== undefined && current.id > connection.id) return;
      this.#connections.set(connection.worker, connection);
      return this.#attach(connection, message);
    }
    // A frame of an earlier connection that was still on its way. A result is welcome on any: it
    // names its attempt, and it comes before the attachment.
    const isCurrent = current?.id === connection.id;
    if (message.kind !== 'finish' && !isCurrent) return;
    // Without it the worker takes the connection for dead and attaches anew.
    if (isCurrent) connection.send({ kind: 'heard' });
    this.#report(connection.worker, message);
  }

  closed(connection: { readonly worker: string; readonly id: number }): void {
    if (this.#connections.get(connection.worker)?.id !== connection.id) return;
    this.#connections.delete(connection.worker);
    this.#loop.report({ kind: 'detachWorker', worker: connection.worker });
  }

  #attach(connection: Connection, message: WorkerMessage & { kind: 'attach' }): void {
    const { info } = message;
    const holds = message.holds.map((hold) => hold.ref);
    for (const ref of holds) {
      const attempt = this.#live(ref);
      const book = this.#engine.core.books.get(ref.partition);
      if (attempt?.worker === null && book !== undefined && ref.epoch < book.epoch) {
        this.#coverage.sometimes('attempt adopted after take-over');
      }
    }
    const foreignUse = sum(message.holds.filter((hold) => hold.runs && !this.#live(hold.ref)));
    this.#loop.report({ kind: 'attachWorker', info, foreignUse, holds });
    connection.send({ kind: 'heard' });
  }

  #report(worker: string, message: Exclude<WorkerMessage, { kind: 'attach' }>): void {
    switch (message.kind) {
      case 'beat': {
        // A worker that was given up for dead has to say again what it holds.
        if (!this.#engine.core.workers.workers.has(worker)) {
          this.#connections.get(worker)?.send({ kind: 'restate', worker });
        }
        const foreignUse = this.#foreignUse(worker, message.holds);
        const { progress } = message;
        return void this.#loop.report({ kind: 'beat', worker, foreignUse, progress });
      }
      case 'refuse': {
        const foreignUse = message.holds && this.#foreignUse(worker, message.holds);
        return void this.#loop.report({ kind: 'refuse', worker, ref: message.ref, foreignUse });
      }
      default:
        return void this.#loop.report({ ...message, worker });
    }
  }

  /** What the worker runs that this node does not count itself. */
  #foreignUse(worker: string, holds: readonly Hold[]): Resources {
    const counted = this.#engine.core.workers.workers.get(worker)?.attempts ?? [];
    return sum(
      holds.filter(({ ref, runs }) => {
        const isOwn = (attempt: Attempt) =>
          attempt.token === ref.token &&
          attempt.epoch === ref.epoch &&
          attempt.task.run.partition === ref.partition;
        return runs && !counted.some(isOwn);
      }),
    );
  }

  #live(ref: AttemptRef): Attempt | null {
    const task = this.#engine.core.books.get(ref.partition)?.runs.get(ref.seq)?.tasks[ref.task];
    const attempt = task?.attempt ?? null;
    return attempt?.token === ref.token && attempt.epoch === ref.epoch ? attempt : null;
  }

  #assignment(attempt: Attempt): Assignment {
    const { task } = attempt;
    const ref = refOf(attempt);
    const worker = attempt.workerName;
    this.#history.add({ kind: 'dispatch', node: this.#node, ref, worker, class: attempt.class });
    return {
      kind: 'assign',
      ref,
      tenant: task.run.spec.tenant,
      job: task.run.spec.job,
      task: task.spec.name,
      request: attempt.shape.request,
      input: task.run.input === null ? '' : decoder.decode(task.run.input),
      checkpoint: task.checkpoint === null ? null : decoder.decode(task.checkpoint),
    };
  }

  #count(effect: Exclude<Effect, { kind: 'alert' }>): void {
    switch (effect.kind) {
      case 'confirm':
        this.#confirmed.add(attemptKey(effect.ref));
        return;
      case 'stale':
        this.#coverage.sometimes('stale told');
        if (this.#confirmed.has(attemptKey(effect.ref))) {
          this.#coverage.sometimes('duplicate completion ignored');
        }
        return;
      case 'drained':
        return this.#coverage.sometimes('drained');
      default:
    }
  }
}

function sum(holds: readonly Hold[]): Resources {
  return holds.reduce((total, hold) => add(total, hold.request), NO_RESOURCES);
}
