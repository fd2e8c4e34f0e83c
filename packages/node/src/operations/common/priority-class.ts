import { type Class, parseClass } from '@signalbox/engine';
import { type Priority, priorityName } from '@signalbox/protocol';

/** What the engine calls a priority; null where there is none. Throws what `bad` makes of an unknown one. */
export function classOfPriority(
  priority: Priority | undefined,
  bad: (message: string) => Error,
): Class | null {
  if (priority === undefined) return null;
  const name = priorityName(priority);
  if (name === null) throw bad('priority must be P0, P1, P2 or a whole number from 1 to 10');
  return parseClass(name);
}
