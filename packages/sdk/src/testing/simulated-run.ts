import type { RunState, RunView } from '@signalbox/protocol';
import { hasEnded } from '../ended-run.ts';
import { RunFailedError } from '../errors.ts';

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

  /** What the handler returned. Throws where the run failed or gave nothing, and where it has not ended yet. */
  async result(): Promise<Output> {
    const run = await this.view();
    if (!hasEnded(run)) {
      throw new Error(`run ${this.id} of ${this.job} is ${run.state}: advance time until it ends`);
    }
    const isPartial = run.state === 'PARTIAL' && run.output !== undefined;
    if (run.state !== 'SUCCEEDED' && !isPartial) throw new RunFailedError(run);
    return run.output as Output;
  }

  cancel(reason?: string): Promise<void> {
    return this.#world.cancel(this.id, reason);
  }
}
