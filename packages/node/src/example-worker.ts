import { type AttemptRef, type Effect, NO_RESOURCES, refOf } from '@signalbox/engine';
import type { CommitLoop } from './loop/index.ts';

const SLOTS = 10;
const BEAT_MS = 5_000;

type Handler = (input: Uint8Array) => string;

/** A worker in the node's own process: runs handlers by job name and reports like any other worker. */
export class ExampleWorker {
  readonly #name: string;
  readonly #handlers: Readonly<Record<string, Handler>>;
  #loop: CommitLoop | null = null;
  #beat: NodeJS.Timeout | null = null;
  #waiting: (() => void)[] = [];

  constructor(name: string, handlers: Readonly<Record<string, Handler>>) {
    this.#name = name;
    this.#handlers = handlers;
  }

  attach(loop: CommitLoop): void {
    this.#loop = loop;
    this.#attach([]);
    this.#beat = setInterval(() => {
      loop.report({ kind: 'beat', worker: this.#name, foreignUse: NO_RESOURCES, progress: [] });
    }, BEAT_MS);
  }

  stop(): void {
    if (this.#beat !== null) clearInterval(this.#beat);
  }

  /** Resolves when the next result has been recorded. */
  nextEnd(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  receive(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'restate') this.#attach([]);
      if (effect.kind === 'confirm') for (const resolve of this.#waiting.splice(0)) resolve();
      if (effect.kind === 'assign') {
        const { run } = effect.attempt.task;
        this.#run(refOf(effect.attempt), run.spec.job, run.input ?? new Uint8Array());
      }
    }
  }

  #run(ref: AttemptRef, job: string, input: Uint8Array): void {
    const worker = this.#name;
    try {
      const handler = this.#handlers[job];
      if (handler === undefined) throw new Error(`no handler for ${job}`);
      const output = new TextEncoder().encode(handler(input));
      this.#loop?.report({ kind: 'finish', worker, ref, result: { kind: 'succeeded', output } });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#loop?.report({
        kind: 'finish',
        worker,
        ref,
        result: { kind: 'failed', error: message },
      });
    }
  }

  #attach(holds: readonly AttemptRef[]): void {
    const total = { ...NO_RESOURCES, slots: SLOTS };
    const info = {
      name: this.#name,
      instance: `${process.pid}`,
      zone: 'local',
      labels: {},
      executors: ['handler'],
      total,
    };
    this.#loop?.report({ kind: 'attachWorker', info, foreignUse: NO_RESOURCES, holds });
  }
}
