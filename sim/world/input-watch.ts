import type { Book, Run } from '@signalbox/engine';
import type { Held } from '../quiet.ts';
import type { World } from './world.ts';

const EVERY_MS = 3_000;

/**
 * Looks now and then at how many bytes of inputs wait in memory that could wait in the store. A
 * page of each queue may be there beyond the limit, or nothing would ever go on.
 */
export class InputWatch {
  readonly #world: World;
  readonly #worst = new Map<number, Held>();

  constructor(world: World) {
    this.#world = world;
  }

  begin(): void {
    const { engine } = this.#world.options;
    const { inputBytesMax, pageSize } = engine;
    if (inputBytesMax !== undefined && pageSize !== undefined) this.#next(inputBytesMax, pageSize);
  }

  get worst(): readonly Held[] {
    return [...this.#worst.values()];
  }

  #next(limit: number, pageSize: number): void {
    this.#world.clockwork.after(EVERY_MS, this.#world.operator, () => {
      for (const { process } of this.#world.nodes) {
        for (const book of process?.loop.engine.core.books.values() ?? []) {
          this.#look(process?.owner ?? '', book, { limit, pageSize });
        }
      }
      this.#next(limit, pageSize);
    });
  }

  #look(node: string, book: Book, { limit, pageSize }: { limit: number; pageSize: number }): void {
    const { partition } = book;
    let bytes = 0;
    let largest = 0;
    const queues = new Set<string>();
    for (const run of book.runs.values()) {
      if (!couldPark(run)) continue;
      bytes += run.input?.length ?? 0;
      largest = Math.max(largest, run.inputBytes);
      queues.add(`${run.class}/${run.spec.tenant}`);
    }
    if (bytes > limit) this.#world.coverage.sometimes('inputs beyond their limit');
    const allowed = limit + (pageSize + 1) * queues.size * largest;
    const before = this.#worst.get(partition);
    if (bytes - allowed <= (before?.bytes ?? 0) - (before?.allowed ?? 0)) return;
    this.#worst.set(partition, { node, partition, bytes, allowed });
  }
}

/** It waits for a place and for nothing else, and nobody may ask for it by another name. */
function couldPark({ tasks, head, spec }: Run): boolean {
  if (head.unique !== undefined || head.window !== undefined || head.nested !== undefined)
    return false;
  if (spec.hears.length > 0 || head.retryOf !== undefined || head.dueAt !== undefined) return false;
  return (
    tasks.length === 1 && tasks.every(({ state, attempts }) => state === 'QUEUED' && attempts === 0)
  );
}
