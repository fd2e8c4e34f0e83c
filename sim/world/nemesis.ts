import { FAULT_ACTS } from './fault-acts.ts';
import { FAULTS, type FaultName } from './options.ts';
import { between, exponential } from './streams.ts';
import type { World } from './world.ts';

/** Does harm at drawn times, and undoes it after a drawn while. */
export class Nemesis {
  readonly #world: World;
  #ended = false;

  constructor(world: World) {
    this.#world = world;
  }

  begin(): void {
    for (const fault of FAULTS) {
      const meanMs = this.#world.options.faults[fault];
      if (meanMs !== undefined) this.#next(fault, meanMs);
    }
  }

  end(): void {
    this.#ended = true;
  }

  /** Later, unless everything has been healed meanwhile. */
  undo(ms: number, what: string, run: () => void): void {
    const { clockwork, operator, history } = this.#world;
    clockwork.after(ms, operator, () => {
      if (this.#ended) return;
      history.add({ kind: 'fault', what, on: false });
      run();
    });
  }

  /** The store's clock is wrong by months for a minute, and then right again. */
  beginExcursions(): void {
    const { options, clockwork, operator, streams, disk, coverage, history } = this.#world;
    const { excursionMs } = options.wild;
    if (excursionMs === 0) return;
    const dice = streams.of('nemesis/excursion');
    clockwork.after(exponential(dice, 300_000), operator, () => {
      if (this.#ended) return;
      const what = `store clock off by ${excursionMs / 86_400_000} days`;
      history.add({ kind: 'fault', what, on: true });
      disk.excurse(excursionMs);
      coverage.sometimes('store clock off by months');
      this.undo(between(dice, 5_000, 90_000), what, () => {
        disk.excurse(0);
        this.beginExcursions();
      });
    });
  }

  #next(fault: FaultName, meanMs: number): void {
    const { clockwork, operator, streams } = this.#world;
    const dice = streams.of(`nemesis/${fault}`);
    clockwork.after(exponential(dice, meanMs), operator, () => {
      if (this.#ended) return;
      FAULT_ACTS[fault](this.#world, dice);
      this.#next(fault, meanMs);
    });
  }
}
