import { FAULT_ACTS } from './fault-acts.ts';
import { FAULTS, type FaultName } from './options.ts';
import { between, chance, exponential, pick } from './streams.ts';
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

  /** The store refuses commits: those that are large, a share of them, or all; as `invalid`, or it hangs up. */
  beginRefusals(): void {
    const { options, clockwork, operator, streams, disk, history } = this.#world;
    const { refuseEveryMs } = options.wild;
    if (refuseEveryMs === 0) return;
    const dice = streams.of('nemesis/refusal');
    clockwork.after(exponential(dice, refuseEveryMs), operator, () => {
      if (this.#ended) return;
      const kind = chance(dice, 0.6) ? 'invalid' : 'unknown';
      const bytesMax = pick(dice, [400, 2_000, 20_000, 1e9]);
      const share = pick(dice, [0, 0.02, 0.3, 1]);
      const what = `store refuses commits (${kind})`;
      history.add({ kind: 'fault', what, on: true });
      disk.refusal = { kind, bytesMax, isDrawn: () => chance(dice, share) };
      this.undo(between(dice, 1_000, 30_000), what, () => {
        disk.refusal = null;
        this.beginRefusals();
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
