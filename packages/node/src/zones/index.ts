export { findZone } from './zones.ts';
