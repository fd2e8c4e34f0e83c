import { findZone } from '@signalbox/node/zones';
import { type Cron, cronOf, type DstGap, type DstOverlap } from '../cron.ts';
import type { CronExpression } from '../expression.ts';
import { parseCron } from '../parse.ts';
import type { Zone } from '../zone.ts';

export function parsedCron(text: string): CronExpression {
  const parsed = parseCron(text);
  if (parsed.kind === 'refused') throw new Error(`${text}: ${parsed.refusal.message}`);
  return parsed.expression;
}

export function zoneNamed(name: string): Zone {
  const zone = findZone(name);
  if (zone === null) throw new Error(`no zone ${name}`);
  return zone;
}

/** A cron as an author would write it. */
export function cronIn(
  text: string,
  zone = 'UTC',
  policy: { gap?: DstGap; overlap?: DstOverlap } = {},
): Cron {
  return cronOf({ expression: parsedCron(text), zone: zoneNamed(zone), ...policy });
}
