/** What a worker is doing, as others see it (WRK-01). */
export type WorkerState =
  | 'starting'
  /** Connected, or trying to; no node has welcomed it yet, or none is left. */
  | 'registering'
  | 'idle'
  | 'executing'
  /** Takes nothing new; what runs comes to its end. */
  | 'draining'
  | 'stopped';

/** Where an attempt is. `retrying` is not among them: whether a failure is tried again, the node decides. */
export type AttemptState =
  | 'accepted'
  | 'executing'
  | 'checkpointing'
  | 'completing'
  | 'failing'
  /** Told to stop, and has stopped. */
  | 'stopping'
  /** Its result is durable, or nobody wants it. */
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

/** One thing's way through its states; an edge that is not in the table cannot be taken. */
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

  /** Staying where it is is no edge and tells nobody. */
  to(next: State): void {
    const from = this.#state;
    if (from === next) return;
    if (!this.#edges[from].includes(next)) throw new Error(`no transition from ${from} to ${next}`);
    this.#state = next;
    this.#moved(from, next);
  }

  /** Takes the edge where there is one, else stays. */
  tryTo(next: State): void {
    if (this.#edges[this.#state].includes(next)) this.to(next);
  }
}
