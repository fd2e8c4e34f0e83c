import type { Checker } from './checker.ts';

const SHOWN = 5;

/** C11: after everything was healed, everything that could end has ended, and nobody waits for anything. */
export const liveness: Checker = {
  name: 'C11',
  promise: 'after heal everything drains in bounded time',
  check: ({ restless }) =>
    restless.length <= SHOWN
      ? [...restless]
      : [...restless.slice(0, SHOWN), `and ${restless.length - SHOWN} more`],
};
