import { DIMENSIONS } from '../../model/resources.ts';
import type { ScoreRule } from '../rule.ts';

/** PLC-07: the less is left in the dimensions that the task uses, the better; big gaps stay whole. */
export const tightFit: ScoreRule = {
  name: 'tightFit',
  score: ({ task, level }) => {
    let used = 0;
    let dimensions = 0;
    for (const dimension of DIMENSIONS) {
      const asked = task.shape.request[dimension];
      const total = level.kind.total[dimension];
      if (asked === 0 || total === 0) continue;
      dimensions++;
      used += 1 - (level.free[dimension] - asked) / total;
    }
    return dimensions === 0 ? 0 : used / dimensions;
  },
};
