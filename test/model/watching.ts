import type { DumpedRun } from './dump.ts';
import { EventWatcher } from './event-watcher.ts';
import type { History, RunStreamed, Streamed } from './history.ts';
import { unwatched } from './judges/event-streams.ts';
import type { ModelOptions, Random } from './options.ts';
import { RunWatcher } from './run-watcher.ts';
import { PARTITIONS, type System } from './system.ts';

/** A stream that was cut resumes within this time, and the stream of an ended run ends. */
const CAUGHT_UP_MS = 30_000;
const RUNS_AT_ONCE = 3;

/** A fifth of a second each. */
const BALANCED_TRIES = 150;

interface WatchingParams {
  readonly system: System;
  readonly options: ModelOptions;
  readonly history: History;
  readonly draw: (n: number) => Random;
}

/** Streams of events: of each tenant one that begins on each node, and of single runs. */
export class Watching {
  readonly #watchers: readonly EventWatcher[];
  readonly #runs: RunStreamed[] = [];
  readonly #followed: Promise<void>[] = [];
  #until = Number.POSITIVE_INFINITY;
  #isOver = false;

  private constructor(watchers: readonly EventWatcher[], params: WatchingParams) {
    const { system, history, draw } = params;
    this.#watchers = watchers;
    for (let i = 0; i < RUNS_AT_ONCE; i++) {
      this.#followed.push(this.#followRuns({ system, history, random: draw(50 + i) }));
    }
  }

  /** The nodes divide the partitions among themselves first: their streams have to cover all of them. */
  static async start(params: WatchingParams): Promise<Watching> {
    const { system, options, draw } = params;
    for (let n = 0; ; n++) {
      const watchers = options.tenants.flatMap((tenant, i) => {
        return system.ports.map((_, node) => {
          return new EventWatcher({ system, tenant, node, random: draw(10 * i + node) });
        });
      });
      await Promise.all(watchers.map(({ started }) => started));
      const streams = watchers.map(({ streamed }) => streamed);
      if (unwatched(streams, PARTITIONS).length === 0 || n === BALANCED_TRIES) {
        return new Watching(watchers, params);
      }
      await Promise.all(watchers.map((watcher) => watcher.stop()));
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  /** No further run is watched; those that are come to their ends. */
  async finish(runs: readonly DumpedRun[]): Promise<{ tenants: Streamed[]; runs: RunStreamed[] }> {
    this.#isOver = true;
    this.#until = Date.now() + CAUGHT_UP_MS;
    await Promise.all(this.#watchers.map((watcher) => watcher.caughtUp(runs, CAUGHT_UP_MS)));
    const tenants = await this.stop();
    return { tenants, runs: this.#runs };
  }

  async stop(): Promise<Streamed[]> {
    this.#isOver = true;
    this.#until = Math.min(this.#until, Date.now() + CAUGHT_UP_MS);
    await Promise.all(this.#followed);
    return Promise.all(this.#watchers.map((watcher) => watcher.stop()));
  }

  async #followRuns(params: { system: System; history: History; random: Random }): Promise<void> {
    const { system, history, random } = params;
    while (!this.#isOver) {
      // The newest are most likely to be live.
      const recent = history.submissions.slice(-10);
      const { tenant, answer } = recent[random.int(Math.max(1, recent.length))] ?? {};
      if (tenant === undefined || answer?.kind !== 'acknowledged') {
        await new Promise((resolve) => setTimeout(resolve, 50));
        continue;
      }
      const watcher = new RunWatcher({ system, random, tenant, id: answer.id });
      this.#runs.push(await watcher.follow(() => Date.now() < this.#until));
    }
  }
}
