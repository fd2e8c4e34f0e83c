import type { RunId } from '@signalbox/engine';
import type { StoredRun } from '../contract/runs.ts';

/** The place of a damaged run in a list. */
export function damagedRun(tenant: string, id: RunId): StoredRun {
  const nothing = { job: '', jobVersion: 0, class: 0, head: '', inputBytes: 0 } as const;
  return { run: { id, tenant, ...nothing, input: null, keys: [] }, end: null, damaged: true };
}
