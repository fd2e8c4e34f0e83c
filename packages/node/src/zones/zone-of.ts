import type { Zone } from '@signalbox/engine';
import { findZone } from './zones.ts';

/** As the engine wants it: a name is checked before it is saved, so an unknown one is an error. */
export function zoneOf(name: string): Zone {
  const zone = findZone(name);
  if (zone === null) throw new RangeError(`this node does not know the time zone ${name}`);
  return zone;
}
