import type { Checker } from './checker.ts';

/** The engine's own invariants and every unexpected error stop a node; none may ever do so. */
export const noFatal: Checker = {
  name: 'C0',
  promise: 'no node stops because of itself',
  check: ({ events }) =>
    events.flatMap((event) =>
      event.kind === 'fatal' ? [`${event.node} stopped itself: ${event.error}`] : [],
    ),
};
