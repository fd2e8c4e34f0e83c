import { isEnded, type RunState, type RunView } from '@signalbox/protocol';
import { bytesOf, resultOf } from '../ended-run.ts';
import { SignalboxError } from '../errors.ts';
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
    const run = await this.#ended();
    return (await resultOf(run, () => this.#world.output(this.id))) as ReadBack<Output>;
  }

  /** The output as it is stored: the bytes that the handler returned, else its JSON. */
  async bytes(): Promise<Uint8Array> {
    return bytesOf(await this.#ended(), () => this.#world.output(this.id));
  }

  async #ended(): Promise<RunView> {
    const run = await this.view();
    if (isEnded(run.state)) return run;
    const message = `run ${this.id} of ${this.job} is ${run.state}: advance time until it ends`;
    throw new SignalboxError('timeout', message);
  }

  cancel(reason?: string): Promise<void> {
    return this.#world.cancel(this.id, reason);
  }
}
