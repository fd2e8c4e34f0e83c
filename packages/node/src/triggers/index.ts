export { completionTriggers } from './completion-triggers.ts';
export type { Triggers } from './triggers.ts';
export { watchDefinitions } from './watch-definitions.ts';
