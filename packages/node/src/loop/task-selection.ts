import type { TaskState } from '@signalbox/engine';

/** Which tasks of a run a reader asks for: a page costs a page, however many there are. */
export interface TaskSelection {
  /** The place of the first, from 0 on. */
  readonly from: number;
  readonly limit: number;
  readonly state?: TaskState;
}

export const ALL_TASKS: TaskSelection = { from: 0, limit: Number.POSITIVE_INFINITY };
export const NO_TASKS: TaskSelection = { from: 0, limit: 0 };

export interface SelectedTasks {
  readonly indexes: readonly number[];
  /** Where the next page begins; null where nothing is left. */
  readonly next: number | null;
}

export function selectTasks(
  count: number,
  stateAt: (index: number) => TaskState,
  { from, limit, state }: TaskSelection,
): SelectedTasks {
  const indexes: number[] = [];
  let at = from;
  for (; at < count && indexes.length < limit; at++) {
    if (state === undefined || stateAt(at) === state) indexes.push(at);
  }
  return { indexes, next: at < count ? at : null };
}
