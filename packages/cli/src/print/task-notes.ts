import { isEnded, type JobDefinition, type RunView } from '@signalbox/protocol';
import type { TaskRow } from './task-rows.ts';
import { relative } from './times.ts';

interface NotesContext {
  readonly run: RunView;
  /** If known: distinguishes tasks that wait for a person from those that wait for a time. */
  readonly definition: JobDefinition | undefined;
  readonly now: number;
}

/** Short notes about a task beside its state. */
export function taskNotes(context: NotesContext): (row: TaskRow) => string {
  const waitOf = waitsOf(context);
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

/** What a pending task waits for, and until when; null if it does not wait for a time. */
function waitsOf({ run, definition, now }: NotesContext): (row: TaskRow) => string | null {
  const steps = new Map(definition?.tasks?.map((task) => [task.name, task]));
  const open = new Set(run.tasks.flatMap(({ name, state }) => (isEnded(state) ? [] : [name])));
  return ({ name, runAt }) => {
    const at = runAt !== null && Date.parse(runAt) > now ? relative(runAt, now) : null;
    const { approval, event, after = [] } = steps.get(name) ?? {};
    const who = approval !== undefined ? 'a person' : event !== undefined ? 'an event' : null;
    if (who !== null && after.every((parent) => !open.has(parent))) {
      return `waits for ${who}${at === null ? '' : `, given up ${at}`}`;
    }
    // A paused run starts nothing, whatever the time.
    return at === null || run.state === 'PAUSED' ? null : `due ${at}`;
  };
}

/** A fraction as a percentage; other numbers as they are. */
export function percent(progress: number): string {
  return progress <= 1 ? `${Math.round(progress * 100)} %` : `progress ${progress}`;
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
