import type { Store } from '@signalbox/store';
import { asStoreError } from './committer.ts';
import type { LoopPorts } from './ports.ts';
import type { ServerTime } from './server-time.ts';

const EVERY_MS = 3_600_000;
const AHEAD_MS = 2 * 86_400_000;

/** Makes journal segments before they are needed, so that no commit has to change the schema. */
export class SegmentsAhead {
  readonly #store: Store;
  readonly #ports: LoopPorts;
  readonly #time: ServerTime;
  #cancel: () => void = () => {};

  constructor(store: Store, ports: LoopPorts, time: ServerTime) {
    this.#store = store;
    this.#ports = ports;
    this.#time = time;
  }

  async start(): Promise<void> {
    this.#cancel();
    this.#cancel = this.#ports.after(EVERY_MS, () => void this.start());
    try {
      await this.#store.ensureSegments({ untilMs: this.#time.now() + AHEAD_MS });
    } catch (error) {
      // A commit makes what it lacks; the next hour tries again.
      asStoreError(error);
    }
  }

  stop(): void {
    this.#cancel();
  }
}
