import { DIMENSIONS } from '../../model/resources.ts';
import type { ScoreRule } from '../rule.ts';

/**
 * PLC-07: the less is left in the dimension that the task fills most, the better; big gaps stay
 * whole. Not the mean of all: dimensions that nobody runs out of would let the worker look empty,
 * and balance would then win over every tight fit.
 */
export const tightFit: ScoreRule = {
  name: 'tightFit',
  score: ({ task, level }) => {
    let fullest = 0;
    for (const dimension of DIMENSIONS) {
      const asked = task.shape.request[dimension];
      const total = level.kind.total[dimension];
      if (asked === 0 || total === 0) continue;
      fullest = Math.max(fullest, 1 - (level.free[dimension] - asked) / total);
    }
    return fullest;
  },
};
