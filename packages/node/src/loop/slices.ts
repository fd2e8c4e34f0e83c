import type { Answer, Command } from '@signalbox/engine';

/** Commands of one partition, and where in the batch they stood. */
export interface Slice {
  readonly partition: number | null;
  readonly commands: Command[];
  readonly indexes: number[];
}

/** Cuts a batch by partition, in the order in which the partitions are first named. */
export function slicesOf(commands: readonly Command[]): Slice[] {
  const slices: Slice[] = [];
  let slice: Slice | undefined;
  for (let i = 0; i < commands.length; i++) {
    const command = commands[i] as Command;
    const partition = partitionOf(command);
    if (slice === undefined || slice.partition !== partition) {
      slice = sliceOf(slices, partition);
    }
    slice.commands.push(command);
    slice.indexes.push(i);
  }
  return slices;
}

function sliceOf(slices: Slice[], partition: number | null): Slice {
  const known = slices.find((slice) => slice.partition === partition);
  if (known !== undefined) return known;
  const slice: Slice = { partition, commands: [], indexes: [] };
  slices.push(slice);
  return slice;
}

/** The answers of all slices, in the order of the batch. */
export function inOrder(
  slices: readonly Slice[],
  answered: readonly (readonly Answer[])[],
): readonly Answer[] {
  const [only] = answered;
  if (answered.length === 1 && only !== undefined) return only;
  const answers: Answer[] = [];
  for (const [s, { indexes }] of slices.entries()) {
    for (const [i, index] of indexes.entries()) answers[index] = answered[s]?.[i] as Answer;
  }
  return answers;
}

export function partitionOf(command: Command): number | null {
  return 'partition' in command ? command.partition : null;
}
