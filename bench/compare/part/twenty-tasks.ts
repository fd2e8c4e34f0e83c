import type { Payload } from './payload.ts';

export interface TwentyTask {
  readonly name: string;
  readonly after: readonly string[];
}

const PARTS = Array.from({ length: 16 }, (_, index) => `part${index}`);

/** A run as pipelines have it: one task, sixteen at once, then three in a row. Parents come first. */
export const TWENTY_TASKS: readonly TwentyTask[] = [
  { name: 'extract', after: [] },
  ...PARTS.map((name) => ({ name, after: ['extract'] })),
  { name: 'join', after: PARTS },
  { name: 'load', after: ['join'] },
  { name: 'tell', after: ['load'] },
];

/**
 * The inputs of as many runs as a batch has tasks for. A producer counts tasks, whatever they are part
 * of; those of a run are numbered from its input's id on.
 */
export function runsOfTwenty(batch: readonly Payload[]): readonly Payload[] {
  const { length } = TWENTY_TASKS;
  if (batch.length % length !== 0)
    throw new Error(`${batch.length} tasks are no runs of ${length}`);
  return batch.filter((_, index) => index % length === 0);
}

/** What the task at this place of `TWENTY_TASKS` counts as, in the run with this input. */
export function taskOfTwenty(input: Payload, place: number): Payload {
  return { ...input, id: input.id + place };
}
