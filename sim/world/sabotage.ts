import type { Engine } from '@signalbox/engine';
import type { CommitLoop, LoopPorts } from '@signalbox/node/loop';
import type { RetentionClocks } from '@signalbox/node/retention';
import type { Store } from '@signalbox/store';
import type { HeldAttempt } from './held-attempt.ts';
import type { SimNode } from './node.ts';
import type { SimWorker } from './worker.ts';
import type { World } from './world.ts';

/**
 * The seams where a canary puts its bug. All of them are the simulator's own: production code has
 * no switch that makes it wrong.
 */
export interface Sabotage {
  /** Between the fault layer and the disk. */
  readonly store?: (disk: Store, world: World) => Store;
  /** Between the loop and the fault layer. */
  readonly door?: (store: Store, world: World, node: SimNode) => Store;
  readonly engine?: (engine: Engine, world: World) => void;
  readonly ports?: (ports: LoopPorts, world: World) => LoopPorts;
  readonly loop?: (loop: CommitLoop, world: World) => void;
  /** What a node compares before it drops history. */
  readonly clocks?: (clocks: RetentionClocks, world: World) => RetentionClocks;
  /** A worker has just been told that its result is recorded. */
  readonly acked?: (worker: SimWorker, held: HeldAttempt) => void;
  /** Once, when the world begins. */
  readonly world?: (world: World) => void;
}
