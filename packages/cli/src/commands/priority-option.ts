import { type Priority, priorityName } from '@signalbox/protocol';
import { InvalidArgumentError } from 'commander';

export const PRIORITY_FLAG = '--priority <priority>';

/** Reads `--priority`: P0, P1, P2, or a number from 1 to 10. */
export function readPriority(text: string): Priority {
  const priority = /^\d+$/.test(text) ? Number(text) : text.toUpperCase();
  if (priorityName(priority) === null) {
    throw new InvalidArgumentError('Use P0, P1, P2 or a whole number from 1 to 10.');
  }
  return priority as Priority;
}
