export { parseInstant } from './instant.ts';
export { findZone } from './zones.ts';
