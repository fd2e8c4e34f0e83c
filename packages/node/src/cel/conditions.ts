import { createRequire } from 'node:module';
import type { CelPrograms } from './programs.ts';

/** What conditions of tasks, and filters of waits, may name. */
export const CONDITION_VARIABLES = { input: 'dyn', tasks: 'map', event: 'dyn' } as const;

/**
 * Loaded when a graph first needs it, and at once: an answer is waited for, and most nodes start and
 * live without a single condition.
 */
const load = createRequire(import.meta.url);
/** `require` takes a file as it is named here: the compiler does not turn `.ts` into `.js` in it. */
const PROGRAMS = import.meta.url.endsWith('.ts') ? './programs.ts' : './programs.js';

export function conditionPrograms(): CelPrograms {
  const made = load(PROGRAMS) as typeof import('./programs.ts');
  return new made.CelPrograms(CONDITION_VARIABLES);
}
