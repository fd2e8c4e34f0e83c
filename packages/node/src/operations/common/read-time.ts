import {
  type Duration,
  type DurationName,
  durationWithin,
  formatDuration,
  instantMs,
  rangeText,
} from '@signalbox/protocol';
import { invalid } from '../../errors/refusals.ts';

type Bad = (field: string, message: string) => Error;

/** The milliseconds of a duration. Refuses a value that is not a duration, or out of range, with its field. */
export function msOf(
  name: DurationName,
  { field, value }: { field: string; value: Duration },
  bad: Bad = invalid,
): number {
  const ms = durationWithin(name, value);
  if (ms === null) throw bad(field, `${field} must be ${rangeText(name)}`);
  return ms;
}

/** The milliseconds of an instant, or of a date: its midnight in UTC. */
export function instantOf(field: string, value: unknown, bad: Bad = invalid): number {
  const ms = instantMs(value);
  if (ms === null) throw bad(field, `${field} must be ${rangeText('instant')}`);
  return ms;
}

/** How a view shows a duration; null stays null. */
export function shownDuration(ms: number): string;
export function shownDuration(ms: number | null): string | null;
export function shownDuration(ms: number | null): string | null {
  return ms === null ? null : formatDuration(ms);
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
