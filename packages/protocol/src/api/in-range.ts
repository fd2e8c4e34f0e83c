import { LIMITS, type LimitName, type Range } from '../limits.ts';
import { Type } from '../type.ts';

/** The schema of a number with the range that the table of limits has for it. */
export function inRange(name: LimitName) {
  const { min: minimum, max: maximum, fraction }: Range = LIMITS[name];
  return fraction === true ? Type.Number({ minimum, maximum }) : Type.Integer({ minimum, maximum });
}
