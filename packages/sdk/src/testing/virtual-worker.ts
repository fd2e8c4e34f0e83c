import { type Attempt, type AttemptRef, type Effect, NO_RESOURCES, refOf } from '@signalbox/engine';
import { looksLikeBlobRef, PAYLOAD_INLINE_MAX } from '@signalbox/protocol';
import {
  type Assign,
  type AttemptContext,
  type Handler,
  type Result,
  runHandler,
} from '@signalbox/worker';
import { assignOf, keyOf, refFrom } from './virtual-assign.ts';
import type { VirtualNode } from './virtual-node.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface LoggedLine {
  readonly run: string;
  readonly task: string;
  readonly attempt: number;
  readonly text: string;
}

export interface VirtualWorkerParams {
  readonly name: string;
  readonly slots: number;
  readonly executors: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly zone: string;
  readonly node: VirtualNode;
  readonly time: VirtualTime;
  /** What runs the attempt; null where there is nothing to run it with. */
  readonly handlerFor: (assign: Assign) => Handler | null;
  /** The failure that the attempt is to end with instead. */
  readonly failureFor: (assign: Assign) => Result | null;
  readonly takesMs: (assign: Assign) => number;
  readonly logged: (line: LoggedLine) => void;
}

interface Running {
  readonly stop: AbortController;
  /** Resolves when its result has been told. */
  ended: Promise<void>;
  /** Its handler waits for something that only time or a word from the node brings. */
  isIdle: boolean;
  deadline: number | null;
  /** Who asked for more time. */
  readonly asked: ((granted: boolean) => void)[];
}

/** A worker without threads, sockets and clocks of its own: handlers run, results are told. */
export class VirtualWorker {
  readonly #params: VirtualWorkerParams;
  readonly #running = new Map<string, Running>();
  #isLost = false;

  constructor(params: VirtualWorkerParams) {
    this.#params = params;
    this.#attach();
  }

  /** Handlers that may still do something by themselves. */
  get active(): readonly Running[] {
    return [...this.#running.values()].filter(({ isIdle }) => !isIdle);
  }

  receive(effect: Effect & { readonly worker: string }): void {
    if (this.#isLost) return;
    switch (effect.kind) {
      case 'assign':
        return this.#start(effect.attempt);
      case 'abort':
      case 'stale':
        return this.#abort(effect.ref, effect.kind === 'abort' ? effect.why : 'stale');
      case 'extended':
        return this.#extended(effect);
      case 'probe':
        return this.#beat([]);
      case 'restate':
        return this.#attach();
      default:
        return;
    }
  }

  /** Gone without a word, and everything that it ran with it. */
  lose(): void {
    this.#isLost = true;
    const gone = [...this.#running.values()];
    this.#running.clear();
    for (const running of gone) {
      refuseExtends(running);
      running.stop.abort('stale');
    }
    this.#params.node.loop.report({ kind: 'detachWorker', worker: this.#params.name });
  }

  #attach(): void {
    const { name, slots, executors, labels, zone, node } = this.#params;
    node.loop.report({
      kind: 'attachWorker',
      info: {
        name,
        instance: name,
        zone,
        labels,
        executors,
        // Whatever a task asks for is there: what is simulated is the job, not the machine.
        total: { cpuMilli: 1e9, memoryMb: 1e9, gpu: 1e6, diskMb: 1e9, slots },
      },
      foreignUse: NO_RESOURCES,
      holds: [],
    });
  }

  #start(attempt: Attempt): void {
    const { name: worker, node, time } = this.#params;
    const ref = refOf(attempt);
    const key = keyOf(ref);
    const { timeoutMs } = assignOf(attempt, { input: null, parents: null });
    const deadline = timeoutMs === null ? null : time.nowMs + timeoutMs;
    const stop = new AbortController();
    const running: Running = { stop, ended: done, isIdle: false, deadline, asked: [] };
    node.loop.report({ kind: 'accept', worker, ref });
    this.#running.set(key, running);
    running.ended = this.#supplied(attempt, running).then(async (found) => {
      const result = await this.#kept(found);
      if (this.#running.get(key) !== running) return;
      this.#running.delete(key);
      this.#finish(ref, result);
    });
  }

  /** As a worker does: what is too large for the journal is kept as a blob. */
  async #kept(result: Result): Promise<Result> {
    const { output } = result;
    if (output === null) return result;
    if (output.length <= PAYLOAD_INLINE_MAX && !looksLikeBlobRef(output)) return result;
    return { ...result, output: await this.#params.node.keep(output) };
  }

  /** What the task is given is put together as a node does it. */
  async #supplied(attempt: Attempt, running: Running): Promise<Result> {
    const supply = await this.#params.node.supply(attempt.task);
    if (!('error' in supply)) return this.#run(assignOf(attempt, supply), running);
    return { kind: 'failed', class: 'permanent', error: supply.error, output: null };
  }

  async #run(assign: Assign, running: Running): Promise<Result> {
    const { failureFor, handlerFor, takesMs } = this.#params;
    const { signal } = running.stop;
    const result = failureFor(assign) ?? (await this.#call(handlerFor(assign), assign, running));
    const ms = takesMs(assign);
    // As a worker does: what fails after it was told to stop has stopped.
    if (signal.aborted) return result.kind === 'failed' ? stopped : result;
    if (ms === 0) return result;
    running.isIdle = true;
    await this.#pass(ms, signal);
    return signal.aborted ? stopped : result;
  }

  async #call(handler: Handler | null, assign: Assign, running: Running): Promise<Result> {
    if (handler !== null) return runHandler(handler, await this.#contextOf(assign, running));
    const error = `${assign.executor} of ${assign.job}: give the simulation a fake for it`;
    return { kind: 'failed', class: 'permanent', error, output: null };
  }

  #pass(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#params.time.after(ms, resolve);
      signal.addEventListener('abort', () => {
        cancel();
        resolve();
      });
    });
  }

  #finish(ref: AttemptRef, { output, ...result }: Result): void {
    const { name: worker, node } = this.#params;
    const told = result.kind === 'succeeded' ? ({ kind: 'succeeded', output } as const) : result;
    node.loop.report({ kind: 'finish', worker, ref, result: told });
  }

  #beat(progress: readonly { readonly ref: AttemptRef; readonly value: number }[]): void {
    const { name: worker, node } = this.#params;
    node.loop.report({ kind: 'beat', worker, foreignUse: NO_RESOURCES, progress });
  }

  #abort(ref: AttemptRef, why: string): void {
    const running = this.#running.get(keyOf(ref));
    if (running === undefined) return;
    running.isIdle = false;
    if (why === 'stale') refuseExtends(running);
    running.stop.abort(why);
  }

  #extended({ ref, granted, hardAt }: Effect & { kind: 'extended' }): void {
    const running = this.#running.get(keyOf(ref));
    if (running === undefined) return;
    if (granted) running.deadline = hardAt;
    running.isIdle = false;
    running.asked.shift()?.(granted);
  }

  async #contextOf(assign: Assign, running: Running): Promise<AttemptContext> {
    const { name: worker, node, logged } = this.#params;
    const { loop } = node;
    const ref = refFrom(assign);
    return {
      assign,
      input: assign.input && (await node.payload(assign.input)),
      checkpoint: assign.checkpoint,
      parents: assign.parents === undefined ? null : await node.payload(assign.parents),
      signal: running.stop.signal,
      graceMs: assign.graceMs,
      get deadline() {
        return running.deadline;
      },
      log: (_stream, text) => {
        const line = typeof text === 'string' ? text : new TextDecoder().decode(text);
        logged({ run: assign.run, task: assign.task, attempt: ref.number, text: line });
      },
      progress: (value) => this.#beat([{ ref, value }]),
      saveCheckpoint: async (state) => {
        loop.report({ kind: 'checkpoint', worker, ref, state });
      },
      extend: (byMs) => {
        // Nobody answers for an attempt that is gone.
        if (this.#running.get(keyOf(ref)) !== running) return Promise.resolve(false);
        loop.report({ kind: 'extend', worker, ref, byMs });
        running.isIdle = true;
        return new Promise((resolve) => running.asked.push(resolve));
      },
    };
  }
}

function refuseExtends({ asked }: Running): void {
  for (const resolve of asked.splice(0)) resolve(false);
}

const done = Promise.resolve();
const stopped: Result = { kind: 'stopped', output: null };
