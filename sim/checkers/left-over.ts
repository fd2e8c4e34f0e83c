import type { Checker } from './checker.ts';

/**
 * A queue holds at most as many tasks that left as tasks that wait, so ended runs are bounded by live
 * ones. A few more may be held for a moment, by an effect or an answer on its way.
 */
const REACHABLE_MAX = 20;

/**
 * C18: memory follows what is live. Nothing that has ended stays reachable, an idle worker has all
 * of its room on every node, and inputs beyond their limit wait in the store.
 */
export const leftOver: Checker = {
  name: 'C18',
  promise: 'nothing grows with what has ended',
  check: ({ quiet }) => [
    ...quiet.memory.flatMap(({ node, ended, live }) => {
      if (ended <= REACHABLE_MAX + live) return [];
      return [`${node} keeps ${ended} runs in memory that have ended, beside ${live} live ones`];
    }),
    ...quiet.rooms,
    ...quiet.inputs.flatMap(({ node, partition, bytes, allowed }) => {
      if (bytes <= allowed) return [];
      return [`${node} held ${bytes} bytes of inputs of partition ${partition}, not ${allowed}`];
    }),
  ],
};
