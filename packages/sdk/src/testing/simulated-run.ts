import type { RunState, RunView } from '@signalbox/protocol';
import { hasEnded, outputOf } from '../ended-run.ts';
import { RunFailedError, SignalboxError } from '../errors.ts';
import type { ReadBack } from '../run-handle.ts';

interface World {
  run(id: string): Promise<RunView>;
  output(id: string): Promise<Uint8Array>;
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
  async result(): Promise<ReadBack<Output>> {
    const run = await this.#completed();
    if (run.output !== undefined) return run.output as ReadBack<Output>;
    return outputOf(await this.#world.output(this.id)) as ReadBack<Output>;
  }

  /** The output as it is stored: the bytes that the handler returned, else its JSON. */
  async bytes(): Promise<Uint8Array> {
    await this.#completed();
    return this.#world.output(this.id);
  }

  async #completed(): Promise<RunView> {
    const run = await this.view();
    if (!hasEnded(run)) {
      const message = `run ${this.id} of ${this.job} is ${run.state}: advance time until it ends`;
      throw new SignalboxError('timeout', message);
    }
    const isPartial = run.state === 'PARTIAL' && run.output !== undefined;
    if (run.state !== 'SUCCEEDED' && !isPartial) throw new RunFailedError(run);
    return run;
  }

  cancel(reason?: string): Promise<void> {
    return this.#world.cancel(this.id, reason);
  }
}
