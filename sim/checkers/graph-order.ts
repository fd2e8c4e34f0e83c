import { taskKey } from '../names.ts';
import type { Checker } from './checker.ts';

/** C8: a task of a graph is assigned only after everything that it waits for has succeeded. */
export const graphOrder: Checker = {
  name: 'C8',
  promise: 'a task runs after its parents',
  check: ({ journal, runs, jobs }) => {
    const problems: string[] = [];
    const jobOf = new Map(runs.map(({ run }) => [`${run.id.partition}.${run.id.seq}`, run.job]));
    const succeeded = new Set<string>();
    for (const { partition, facts } of journal) {
      for (const packed of facts) {
        if (packed.kind !== 'fact') continue;
        const { fact } = packed;
        if (fact.kind === 'taskSucceeded') {
          succeeded.add(taskKey({ partition, seq: fact.seq, task: fact.task }));
        }
        if (fact.kind !== 'taskAssigned') continue;
        const tasks = jobs.get(jobOf.get(`${partition}.${fact.seq}`) ?? '')?.tasks ?? [];
        for (const parent of tasks[fact.task]?.after ?? []) {
          const task = tasks.findIndex((each) => each.name === parent);
          if (succeeded.has(taskKey({ partition, seq: fact.seq, task }))) continue;
          problems.push(
            `task ${partition}.${fact.seq}/${fact.task} was assigned before ${parent} succeeded`,
          );
        }
      }
    }
    return problems;
  },
};
