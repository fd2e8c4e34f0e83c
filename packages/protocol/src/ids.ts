/** `<run id>:<task name>`: names a task. Task names hold no colon. */
export function taskId(run: string, task: string): string {
  return `${run}:${task}`;
}

export function parseTaskId(text: string): { run: string; task: string } | null {
  const at = text.indexOf(':');
  if (at <= 0 || at === text.length - 1 || text.includes(':', at + 1)) return null;
  return { run: text.slice(0, at), task: text.slice(at + 1) };
}

/** `<run id>:<task name>:<number>`: names an attempt; what a handler passes on for idempotency. */
export function attemptId(run: string, task: string, number: number): string {
  return `${run}:${task}:${number}`;
}

/** The executor of commands that must be isolated; workers that can isolate offer it beside `command`. */
export const COMMAND_ISOLATED = 'command-isolated';

/** Names of jobs, tasks, tenants, workers: what is safe in a path, a label, a table and a log. */
export const NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$';
/** Ends the sentence "the name …". */
export const NAME_RULE =
  'must be 1 to 128 letters, digits, dots, hyphens and underscores, beginning with a letter or a digit';
