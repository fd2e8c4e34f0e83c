import type { Checker } from './checker.ts';

/** C19: every caller has been answered, also by a node that lost a partition, stopped or crashed. */
export const answered: Checker = {
  name: 'C19',
  promise: 'every promise given to a caller settles',
  check: ({ quiet }) => [...quiet.unanswered],
};
