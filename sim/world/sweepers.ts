import { type RetentionSettings, sweep } from '@signalbox/node/retention';
import { StoreError } from '@signalbox/store';
import type { SimNode } from './node.ts';
import { between } from './streams.ts';
import type { World } from './world.ts';

/** Every node drops history by itself, as in production: two may sweep at once. */
export class Sweepers {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  begin(): void {
    const { keeping } = this.#world.options.wild;
    if (keeping === null) return;
    for (const node of this.#world.nodes) this.#next(node, keeping);
  }

  #next(node: SimNode, settings: RetentionSettings): void {
    const { clockwork, operator, streams } = this.#world;
    const waitMs = settings.everyMs * between(streams.of('sweep'), 0.8, 1.2);
    clockwork.after(waitMs, operator, () => {
      this.#next(node, settings);
      if (node.process?.isReady) void this.#sweep(node, settings);
    });
  }

  async #sweep(node: SimNode, settings: RetentionSettings): Promise<void> {
    const { process } = node;
    if (process === null) return;
    const { time } = process.loop;
    const clocks = {
      calendarMs: () => node.calendarMs,
      serverMs: () => time.now(),
      monotonicMs: () => time.monotonic(),
      journal: process.journal,
    };
    const { options, coverage, sabotage } = this.#world;
    const { blobs } = process.front;
    const { partitions } = options;
    const collects = options.wild.ages === null ? {} : { blobs: { blobs, partitions } };
    const judged = sabotage.clocks?.(clocks, this.#world) ?? clocks;
    try {
      const swept = await sweep(process.store, settings, { clocks: judged, ...collects });
      coverage.sometimes(swept.kind === 'swept' ? 'history swept' : 'sweep refused for its clocks');
    } catch (error) {
      if (!(error instanceof StoreError)) this.#world.broken(node, error);
    }
  }
}
