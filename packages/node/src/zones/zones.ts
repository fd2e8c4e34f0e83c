import type { Zone } from '@signalbox/engine';
import { IntlZone } from './intl-zone.ts';

const zones = new Map<string, Zone>();

/** Names are letters, digits and a few signs; an offset like +05:30 is no place and has no rules. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** The zone of an IANA name, or null where the time zone data has no such name. */
export function findZone(name: string): Zone | null {
  // The data does not mind the case, so the table cannot grow beyond the names that there are.
  const key = name.toLowerCase();
  const known = zones.get(key);
  if (known !== undefined) return known;
  if (!NAME.test(name)) return null;
  try {
    const zone = new IntlZone(name);
    zones.set(key, zone);
    return zone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
