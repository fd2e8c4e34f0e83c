import { runCanary } from '../canaries/all-canaries.ts';
import { simulateSeed } from '../simulate.ts';
import type { Answer, Task } from './messages.ts';

/** One piece of work of a run of the simulator, in whichever process. */
export async function carryOut(task: Task): Promise<Answer> {
  switch (task.kind) {
    case 'seed': {
      const { options: _, ...result } = await simulateSeed(task.seed, task.minutes);
      const again = task.twice ? await simulateSeed(task.seed, task.minutes) : null;
      return { kind: 'seed', result, isSame: again === null || again.hash === result.hash };
    }
    case 'canary':
      return { kind: 'canary', ...(await runCanary(task.name)) };
  }
}
