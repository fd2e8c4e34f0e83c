import { DIMENSIONS } from '../../model/resources.ts';
import type { ScoreRule } from '../rule.ts';

/** The emptier the worker in its fullest dimension, the better: pulls against tight fit, by weight. */
export const balance: ScoreRule = {
  name: 'balance',
  score: ({ level }) => {
    let fullest = 0;
    for (const dimension of DIMENSIONS) {
      const total = level.kind.total[dimension];
      if (total > 0) fullest = Math.max(fullest, 1 - level.free[dimension] / total);
    }
    return 1 - fullest;
  },
};
