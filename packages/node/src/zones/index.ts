export { zoneOf } from './zone-of.ts';
export { findZone } from './zones.ts';
