import { formatRunId, type RunId } from '@signalbox/engine';
import type { FoundDamage } from './damaged-rows.ts';

const NO_BYTES = new Uint8Array(0);

/** A place of a lane names the run, and neither its row nor its end exists. */
export function missingRun(
  partition: number,
  { id, tenant }: { readonly id: RunId; readonly tenant: string },
): FoundDamage {
  const place = { kind: 'run', key: formatRunId(id), partition, tenant } as const;
  return { ...place, error: 'the row is missing', bytes: NO_BYTES };
}
