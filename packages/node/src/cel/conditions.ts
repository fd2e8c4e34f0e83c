import { createRequire } from 'node:module';
import type { CelPrograms } from './programs.ts';

/** Variables of conditions of tasks and of filters of waits. */
export const CONDITION_VARIABLES = { input: 'dyn', tasks: 'map', event: 'dyn' } as const;

/**
 * Loaded synchronously when a graph first needs it: the engine waits for the result, and most nodes never evaluate a
 * condition.
 */
const load = createRequire(import.meta.url);
/** The compiler does not rewrite `.ts` to `.js` in a path for `require`. */
const PROGRAMS = import.meta.url.endsWith('.ts') ? './programs.ts' : './programs.js';

export function conditionPrograms(): CelPrograms {
  const module = load(PROGRAMS) as typeof import('./programs.ts');
  return new module.CelPrograms(CONDITION_VARIABLES);
}
