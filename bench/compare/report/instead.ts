import type { Line } from '../summary.ts';
import type { System } from '../systems/system.ts';

/** What is known of a system's settings. */
export type Tuned = Pick<System, 'name' | 'tunings'>;

/** What stands behind the name of a system that does not do what the shape is about. */
export function insteadOf({ system, shape }: Line, tuned: readonly Tuned[]): string {
  const instead = tuned.find(({ name }) => name === system)?.tunings[shape]?.instead;
  return instead === undefined ? '' : ` (${instead})`;
}
