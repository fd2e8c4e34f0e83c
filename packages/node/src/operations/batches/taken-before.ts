import type { RunHead, RunId } from '@signalbox/engine';
import type { NodeContext } from '../../context/node-context.ts';

/** What a run that was there already says of itself. */
export interface TakenBefore {
  readonly job: string;
  readonly head: RunHead;
  /** As the journal keeps it; undefined where it was not read. */
  readonly input?: Uint8Array | null;
}

/**
 * Runs that submissions turned out to be already, from memory or the store. Null for one that
 * retention has dropped: nothing is left of it but its key.
 */
export async function takenBefore(
  { loop, store }: NodeContext,
  tenant: string,
  ids: readonly RunId[],
): Promise<(TakenBefore | null)[]> {
  const live = ids.map((id): TakenBefore | null => {
    const run = loop.engine.core.books.get(id.partition)?.runs.get(id.seq);
    return run === undefined || run.ms !== id.ms ? null : { job: run.spec.job, head: run.head };
  });
  const others = ids.filter((_, i) => live[i] === null);
  if (others.length === 0) return live;
  const wanted = others.map((id) => ({ tenant, id }));
  const rows = await store.readRuns({ ids: wanted, withInput: false });
  const byId = new Map(rows.map((row) => [nameOf(row.id), row]));
  return ids.map((id, i) => {
    const row = live[i] === null ? byId.get(nameOf(id)) : undefined;
    if (row === undefined) return live[i] ?? null;
    return { job: row.job, head: row.head === '' ? {} : (JSON.parse(row.head) as RunHead) };
  });
}

function nameOf({ ms, partition, seq }: RunId): string {
  return `${ms}/${partition}/${seq}`;
}
