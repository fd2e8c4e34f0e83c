export { IcsError } from './ics-lines.ts';
export { type IcsDays, readIcs } from './read-ics.ts';
