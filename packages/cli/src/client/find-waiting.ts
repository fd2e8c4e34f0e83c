import type { Diagnosis, RunView } from '@signalbox/protocol';
import { UserError } from '../user-error.ts';
import type { Api } from './api.ts';
import { findRun, findTask, taskStart } from './find-run.ts';
import { pathOf } from './path-of.ts';

/** A run with more tasks that wait is not guessed about. */
const LOOKED_AT = 20;

/** The task that is named, or the one of a run that waits for a person, where there is just one. */
export async function findWaiting(api: Api, text: string): Promise<string> {
  if (taskStart(text) >= 0) return findTask(api, text);
  const run = await api.get<RunView>(`/runs/${await findRun(api, text)}`);
  const open = run.tasks.filter(({ state, wait }) => state === 'PENDING' && wait?.until === null);
  const found: string[] = [];
  for (const { id } of open.slice(0, LOOKED_AT)) {
    const { reason } = await api.get<Diagnosis>(`${pathOf('tasks', id)}/diagnosis`);
    if (reason === 'WAITING_PERSON') found.push(id);
  }
  const [first, second] = found;
  if (first !== undefined && second === undefined && open.length <= LOOKED_AT) return first;
  if (first === undefined) {
    const hint = `see what its tasks wait for: signalbox why ${run.id}`;
    throw new UserError('conflict', `no task of the run ${run.id} waits for an approval`, hint);
  }
  const hint = `name one of these tasks: ${found.join(', ')}`;
  throw new UserError('usage', `several tasks of the run ${run.id} may wait for an approval`, hint);
}
