import { createRequire } from 'node:module';
import type { CelPrograms } from '../cel/programs.ts';

/** What conditions of tasks, and filters of waits, may name. */
export const CONDITION_VARIABLES = { input: 'dyn', tasks: 'map', event: 'dyn' } as const;

/**
 * Loaded when a graph first needs it, and at once: an answer is waited for, and most nodes start and
 * live without a single condition.
 */
const load = createRequire(import.meta.url);

export function conditionPrograms(): CelPrograms {
  const made = load('../cel/programs.ts') as typeof import('../cel/programs.ts');
  return new made.CelPrograms(CONDITION_VARIABLES);
}
