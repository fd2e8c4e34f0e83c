import type { RunView } from '@signalbox/protocol';
import { UserError } from '../user-error.ts';
import type { Api } from './api.ts';

const FULL = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SHORT_MIN = 4;
/** How far back short ids are looked for. */
const LOOKED_AT = 200;

/** The full id for a full one, for its beginning or end where only one new run has it, or `last`. */
export async function findRun(api: Api, text: string): Promise<string> {
  const wanted = text.toLowerCase();
  if (FULL.test(wanted)) return wanted;
  const isShort = /^[0-9a-f-]+$/.test(wanted) && wanted.length >= SHORT_MIN;
  if (wanted !== 'last' && !isShort) {
    throw new UserError(
      'notFound',
      `${JSON.stringify(text)} is no id of a run`,
      'see: signalbox runs',
    );
  }
  const found: string[] = [];
  for await (const run of api.items<RunView>('/runs', {}, wanted === 'last' ? 1 : LOOKED_AT)) {
    if (wanted === 'last') return run.id;
    if (run.id.startsWith(wanted) || run.id.endsWith(wanted)) found.push(run.id);
  }
  const [first, second] = found;
  if (first === undefined) {
    const among = wanted === 'last' ? 'there are no runs' : `no new run has ${text} in its id`;
    throw new UserError('notFound', among, 'see: signalbox runs');
  }
  if (second !== undefined) {
    throw new UserError('usage', `${text} may be ${first} or ${second}`, 'give more of the id');
  }
  return first;
}

/** `<run>:<task>`, where the run may be short. */
export async function findTask(api: Api, text: string): Promise<string> {
  const at = text.indexOf(':');
  if (at < 0) {
    const hint = 'a task is <run>:<task>; signalbox runs show RUN lists them';
    throw new UserError('notFound', `${JSON.stringify(text)} is no id of a task`, hint);
  }
  return `${await findRun(api, text.slice(0, at))}${text.slice(at)}`;
}
