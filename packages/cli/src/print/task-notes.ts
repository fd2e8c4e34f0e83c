import { isEnded, type JobDefinition, type RunView } from '@signalbox/protocol';
import type { TaskRow } from './task-rows.ts';
import { relative } from './times.ts';

interface Of {
  readonly run: RunView;
  /** Where it is known: who waits for a person is told otherwise than who waits for time. */
  readonly definition: JobDefinition | undefined;
  readonly now: number;
}

/** What is to be said about a task of a run beside its state, in short. */
export function taskNotes(of: Of): (row: TaskRow) => string {
  const waitOf = waitsOf(of);
  return (row) => {
    const parts: string[] = [];
    if (row.tally !== null) parts.push(row.tally);
    const waits = row.state === 'PENDING' ? waitOf(row) : null;
    if (waits !== null) parts.push(waits);
    if (row.state === 'RUNNING' && row.progress !== null) parts.push(percent(row.progress));
    if (row.error !== null) parts.push(firstLine(row.error));
    return parts.join('; ');
  };
}

/** What a pending task waits for, and when that ends by itself; null where no time moves it. */
function waitsOf({ run, definition, now }: Of): (row: TaskRow) => string | null {
  const steps = new Map(definition?.tasks?.map((task) => [task.name, task]));
  const open = new Set(run.tasks.flatMap(({ name, state }) => (isEnded(state) ? [] : [name])));
  return ({ name, runAt }) => {
    const at = runAt !== null && Date.parse(runAt) > now ? relative(runAt, now) : null;
    const { approval, event, after = [] } = steps.get(name) ?? {};
    const who = approval !== undefined ? 'a person' : event !== undefined ? 'an event' : null;
    if (who !== null && after.every((parent) => !open.has(parent))) {
      return `waits for ${who}${at === null ? '' : `, given up ${at}`}`;
    }
    // A run that is held begins nothing, whatever the time.
    return at === null || run.state === 'PAUSED' ? null : `due ${at}`;
  };
}

/** A share of one as a percentage; what counts otherwise is shown as it is. */
export function percent(progress: number): string {
  return progress <= 1 ? `${Math.round(progress * 100)} %` : `progress ${progress}`;
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
