import type { ScoreRule } from '../rule.ts';

/** The fewer of the job's attempts run in the worker's zone, the better: a zone's loss takes fewer. */
export const zoneSpread: ScoreRule = {
  name: 'zoneSpread',
  score: ({ task, level, zoneUse }) => {
    const job = task.run.spec.job;
    const all = zoneUse.countAll(job);
    return all === 0 ? 1 : 1 - zoneUse.countIn(job, level.kind.zone) / all;
  },
};
