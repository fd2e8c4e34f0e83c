import { DURATION_CHARS_MAX, DURATION_PATTERN, type Duration } from '../duration.ts';
import { type DurationName, LIMITS, type LimitName, type Range } from '../limits.ts';
import { Type } from '../type.ts';

/** The schema of a number with the range that the table of limits has for it. */
export function inRange(name: LimitName) {
  const { min: minimum, max: maximum, fraction }: Range = LIMITS[name];
  return fraction === true ? Type.Number({ minimum, maximum }) : Type.Integer({ minimum, maximum });
}

const written = { pattern: DURATION_PATTERN, maxLength: DURATION_CHARS_MAX };
const description = 'A duration: text such as `30s` or `1h30m`, or milliseconds';

/**
 * The schema of a duration. Its range holds for text too, which no schema can say: `durationWithin`
 * checks that where the text is read.
 */
export function durationIn(name: DurationName) {
  const { min: minimum, max: maximum }: Range = LIMITS[name];
  const type = ['integer', 'string'];
  return Type.Unsafe<Duration>({ type, minimum, maximum, ...written, description });
}

/** The same, or null for none. */
export function durationOrNull(name: DurationName) {
  return Type.Unsafe<Duration | null>({ ...durationIn(name), type: ['integer', 'string', 'null'] });
}
