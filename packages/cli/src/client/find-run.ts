import type { RunView } from '@signalbox/protocol';
import { UserError } from '../user-error.ts';
import type { Api } from './api.ts';

const FULL = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The id of a window of a schedule, and maybe a task of its run. */
const WINDOW = /^(.+_\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)(?::|$)/;
const SHORT_MIN = 4;
/** How far back short ids are looked for. */
const LOOKED_AT = 200;

/** The full id for a full one, for its beginning or end where only one new run has it, for a window, or `last`: the newest of this key. */
export async function findRun(api: Api, text: string): Promise<string> {
  const wanted = text.toLowerCase();
  if (FULL.test(wanted)) return wanted;
  if (WINDOW.test(text)) return (await api.get<RunView>(`/runs/${encodeURIComponent(text)}`)).id;
  const isShort = /^[0-9a-f-]+$/.test(wanted) && wanted.length >= SHORT_MIN;
  if (wanted !== 'last' && !isShort) {
    const hint = `write at least ${SHORT_MIN} characters from the beginning or end of the id; see: signalbox runs`;
    throw new UserError('notFound', `${JSON.stringify(text)} is not a run id`, hint);
  }
  if (wanted === 'last') return lastRun(api);
  const found: string[] = [];
  for await (const run of api.items<RunView>('/runs', {}, LOOKED_AT)) {
    if (run.id.startsWith(wanted) || run.id.endsWith(wanted)) found.push(run.id);
  }
  const [first, second] = found;
  if (first === undefined) {
    throw new UserError('notFound', `no recent run has ${text} in its id`, 'see: signalbox runs');
  }
  if (second !== undefined) {
    throw new UserError(
      'usage',
      `${text} matches several runs, such as ${first} and ${second}`,
      'write more digits of the id',
    );
  }
  return first;
}

/**
 * The newest run that this key has submitted or retried. The node knows that from the runs themselves:
 * the same in every terminal, and no run of a schedule or of somebody else comes between.
 */
async function lastRun(api: Api): Promise<string> {
  const { key: submittedBy } = await api.get<{ key: string }>('/whoami');
  for await (const run of api.items<RunView>('/runs', { submittedBy }, 1)) return run.id;
  const message = 'no run was submitted with your API key yet';
  throw new UserError('notFound', message, 'see: signalbox runs');
}

/** Where the task begins in `<run>:<task>`, at the colon; -1 where there is none. */
export function taskStart(text: string): number {
  return text.indexOf(':', WINDOW.exec(text)?.[1]?.length ?? 0);
}

/** `<run>:<task>`, where the run may be short. */
export async function findTask(api: Api, text: string): Promise<string> {
  const at = taskStart(text);
  if (at < 0) {
    const hint = 'a task id is <run>:<task>; signalbox runs show RUN lists the tasks';
    throw new UserError('notFound', `${JSON.stringify(text)} is not a task id`, hint);
  }
  return `${await findRun(api, text.slice(0, at))}${text.slice(at)}`;
}
