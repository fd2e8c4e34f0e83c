export { followEnds } from './follow-ends.ts';
export type { Triggers } from './triggers.ts';
export { watchDefinitions } from './watch-definitions.ts';
