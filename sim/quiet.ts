import { isSame, type Resources } from '@signalbox/engine';
import { collectGarbage } from './world/watch.ts';
import type { World } from './world/world.ts';

/** What is left in the memory of the nodes when nothing goes on any more. */
export interface Quiet {
  /** By node: runs in memory that have ended and cannot be freed, and runs that are live. */
  readonly memory: readonly {
    readonly node: string;
    readonly ended: number;
    readonly live: number;
  }[];
  /** Workers that run nothing and of which a node thinks otherwise. */
  readonly rooms: readonly string[];
  /** Callers that have not been answered. */
  readonly unanswered: readonly string[];
  /** By partition: the most bytes of inputs that waited in memory, and what was allowed. */
  readonly inputs: readonly Held[];
}

export interface Held {
  readonly node: string;
  readonly partition: number;
  readonly bytes: number;
  readonly allowed: number;
}

/** A caller is patient for so long, in a world where nothing fails any more. */
const PATIENCE_MS = 15_000;

export async function quietState(world: World): Promise<Quiet> {
  await collectGarbage();
  return {
    memory: memoryOf(world),
    rooms: roomsOf(world),
    unanswered: unansweredOf(world),
    inputs: world.inputs.worst,
  };
}

function memoryOf({ nodes }: World): Quiet['memory'] {
  return nodes.flatMap(({ process }) => {
    if (process === null) return [];
    const { loop, owner: node, watch } = process;
    const books = [...loop.engine.core.books.values()];
    const live = books.reduce((sum, { runs }) => sum + runs.size, 0);
    return [{ node, ended: watch.leftOver(loop.engine), live }];
  });
}

function roomsOf({ nodes, workers }: World): string[] {
  const idle = new Set(workers.filter(({ holds }) => holds.size === 0).map(({ name }) => name));
  return nodes.flatMap(({ process }) => {
    const known = process?.loop.engine.core.workers.workers.values() ?? [];
    return [...known].flatMap(({ info, free }) => {
      if (!idle.has(info.name) || isSame(free, info.total)) return [];
      return [
        `${process?.owner} takes idle ${info.name} for full: ${roomOf(free, info.total)} free`,
      ];
    });
  });
}

function roomOf(free: Resources, total: Resources): string {
  return `${free.slots} of ${total.slots} slots`;
}

function unansweredOf({ clockwork, watches }: World): string[] {
  return [...watches].flatMap(([owner, watch]) =>
    watch.waiting.flatMap(({ what, since }) => {
      const waitedMs = clockwork.now - since;
      return waitedMs < PATIENCE_MS ? [] : [`${owner}: ${what} unanswered for ${waitedMs} ms`];
    }),
  );
}
