import type { Balance } from './session.ts';

/**
 * What is wrong with a session's books, or null. Every task that was submitted is either handled and
 * durably ended, or still there; a rate that counted lost work would be worth nothing.
 */
export function balanceProblem({ submitted, handled, left }: Balance): string | null {
  const missing = submitted - handled - left;
  if (missing > 0) return `${missing} of ${submitted} tasks are missing`;
  if (missing < 0) return `${-missing} tasks were handled and are still there`;
  return null;
}
