import type { ScoreRule } from '../rule.ts';

/** Where the data is: the fraction of preferred labels that the worker has. */
export const locality: ScoreRule = {
  name: 'locality',
  score: ({ task, level }) => {
    const preferred = Object.entries(task.shape.prefer);
    if (preferred.length === 0) return 0;
    const met = preferred.filter(([name, value]) => level.kind.labels[name] === value).length;
    return met / preferred.length;
  },
};
