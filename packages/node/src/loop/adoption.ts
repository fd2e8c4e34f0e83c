import type { Command } from '@signalbox/engine';

export type SetSchedule = Command & { kind: 'setSchedule' };

/** A version of a schedule that the engine is to be told of, and the name of its job. */
export interface Adoption {
  readonly job: string;
  readonly set: SetSchedule;
}

const ADOPTED_AT_ONCE = 1_000;

/**
 * What is adopted in one turn: whole jobs, few enough that nothing else waits long, in the order of
 * versions, because the clock of the store may have been set back between two of them.
 */
export function chunksByJob(adoptions: readonly Adoption[]): SetSchedule[][] {
  const byJob = new Map<string, SetSchedule[]>();
  for (const { job, set } of adoptions) {
    const ofJob = byJob.get(job);
    if (ofJob === undefined) byJob.set(job, [set]);
    else ofJob.push(set);
  }
  const chunks: SetSchedule[][] = [];
  let chunk: SetSchedule[] = [];
  for (const ofJob of byJob.values()) {
    if (chunk.length > 0 && chunk.length + ofJob.length > ADOPTED_AT_ONCE) {
      chunks.push(chunk);
      chunk = [];
    }
    for (const set of ofJob) chunk.push(set);
  }
  if (chunk.length > 0) chunks.push(chunk);
  return chunks.map((each) => each.sort((a, b) => a.version - b.version));
}
