import type { RunHead, RunId } from '@signalbox/engine';
import type { NodeContext } from '../../context/node-context.ts';

/** The content of an existing run. */
export interface TakenBefore {
  readonly job: string;
  readonly head: RunHead;
  /** In stored form; undefined if it was not read. */
  readonly input?: Uint8Array | null;
}

/**
 * Existing runs that submissions resolved to, from memory or the store. Null if retention has deleted the run: only
 * its key is left.
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
  const keys = others.map((id) => ({ tenant, id }));
  const rows = await store.readRuns({ ids: keys, withInput: false });
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
