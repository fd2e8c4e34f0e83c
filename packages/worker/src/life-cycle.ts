/** The public states of a worker (WRK-01). */
export type WorkerState =
  | 'starting'
  /** Not connected, or not yet welcomed by a node. */
  | 'registering'
  | 'idle'
  | 'executing'
  /** Refuses new attempts; running ones come to their end. */
  | 'draining'
  | 'stopped';

/** The states of an attempt on the worker. `retrying` is not one of them, because the node decides on retries. */
export type AttemptState =
  | 'accepted'
  | 'executing'
  | 'checkpointing'
  | 'completing'
  | 'failing'
  /** Has stopped on request. */
  | 'stopping'
  /** Its result is durable, or not needed any more. */
  | 'forgotten';

export const WORKER_EDGES: Readonly<Record<WorkerState, readonly WorkerState[]>> = {
  starting: ['registering', 'draining'],
  registering: ['idle', 'executing', 'draining'],
  idle: ['executing', 'registering', 'draining'],
  executing: ['idle', 'registering', 'draining'],
  draining: ['stopped'],
  stopped: [],
};

export const ATTEMPT_EDGES: Readonly<Record<AttemptState, readonly AttemptState[]>> = {
  accepted: ['executing', 'failing', 'stopping', 'forgotten'],
  executing: ['checkpointing', 'completing', 'failing', 'stopping', 'forgotten'],
  checkpointing: ['executing', 'completing', 'failing', 'stopping', 'forgotten'],
  completing: ['forgotten'],
  failing: ['forgotten'],
  stopping: ['forgotten'],
  forgotten: [],
};

/** A state machine; a transition that is not in the table throws. */
export class LifeCycle<State extends string> {
  #state: State;
  readonly #edges: Readonly<Record<State, readonly State[]>>;
  readonly #moved: (from: State, to: State) => void;

  constructor(params: {
    first: State;
    edges: Readonly<Record<State, readonly State[]>>;
    moved: (from: State, to: State) => void;
  }) {
    this.#state = params.first;
    this.#edges = params.edges;
    this.#moved = params.moved;
  }

  get state(): State {
    return this.#state;
  }

  /** Moving to the current state does nothing. */
  to(next: State): void {
    const from = this.#state;
    if (from === next) return;
    if (!this.#edges[from].includes(next)) throw new Error(`no transition from ${from} to ${next}`);
    this.#state = next;
    this.#moved(from, next);
  }

  /** Does nothing if there is no such transition. */
  tryTo(next: State): void {
    if (this.#edges[this.#state].includes(next)) this.to(next);
  }
}
