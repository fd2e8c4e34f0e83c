import type { RunState, RunView } from '@signalbox/protocol';
import { hasEnded } from '../ended-run.ts';
import { RunFailedError } from '../errors.ts';
import type { ReadBack } from '../run-handle.ts';

interface World {
  run(id: string): Promise<RunView>;
  cancel(id: string, reason?: string): Promise<void>;
}

/** A run in a simulation. It goes on only while time is moved. */
export class SimulatedRun<Output> {
  readonly id: string;
  readonly job: string;
  readonly created: boolean;
  readonly #world: World;

  constructor(world: World, run: { id: string; job: string; created: boolean }) {
    this.#world = world;
    this.id = run.id;
    this.job = run.job;
    this.created = run.created;
  }

  view(): Promise<RunView> {
    return this.#world.run(this.id);
  }

  async state(): Promise<RunState> {
    return (await this.view()).state;
  }

  /** What the handler returned. Throws where the run failed, and where it has not ended yet. */
  async result(): Promise<ReadBack<Output>> {
    const run = await this.view();
    if (!hasEnded(run)) {
      throw new Error(`run ${this.id} of ${this.job} is ${run.state}: advance time until it ends`);
    }
    if (run.state !== 'SUCCEEDED') throw new RunFailedError(run);
    return run.output as ReadBack<Output>;
  }

  cancel(reason?: string): Promise<void> {
    return this.#world.cancel(this.id, reason);
  }
}
