import { setTimeout as pause } from 'node:timers/promises';
import type { LogLine, RunView } from '@signalbox/protocol';
import type { Backend, LogsQuery } from './backend.ts';
import { hasEnded } from './ended-run.ts';

/** How often a follower looks for more lines, at the least and at the most. */
const LOOK_MS = 100;
const LOOK_MAX_MS = 1_000;
const PAGE = 1_000;

export interface LogsOptions {
  /** The lines of one task only. */
  readonly task?: string;
  /** Goes on with new lines until the run has ended. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** Every line that was kept, by task, attempt and number; with `follow` also those to come. */
export async function* readLogs(
  backend: Backend,
  id: string,
  options: LogsOptions,
): AsyncGenerator<LogLine> {
  const { task, signal } = options;
  signal?.throwIfAborted();
  if (!options.follow) {
    for await (const line of readPages(backend, id, { ...(task !== undefined && { task }) })) {
      signal?.throwIfAborted();
      yield line;
    }
    return;
  }
  const cursors = new Map<string, string>();
  for (let lookMs = LOOK_MS; ; ) {
    // Asked before reading: lines of a run that has ended now are all there.
    const run = await backend.run(id, { signal });
    let read = 0;
    // Each task from where it was left: tasks print at the same time, pages come one task after the other.
    for (const [index, { name }] of run.tasks.entries()) {
      if (task !== undefined && task !== name) continue;
      const after = cursors.get(name);
      const query = { task: name, ...(after !== undefined && { after }) };
      for await (const line of readPages(backend, id, query)) {
        signal?.throwIfAborted();
        cursors.set(name, logCursor({ task: index, attempt: line.attempt, number: line.number }));
        read++;
        yield line;
      }
    }
    if (hasEnded(run)) return yield* readRest(backend, id, { run, task });
    lookMs = read > 0 ? LOOK_MS : Math.min(LOOK_MAX_MS, lookMs * 2);
    await pause(lookMs, undefined, { signal });
  }
}

/**
 * A view names the first thousand tasks. Which of the others print is not known while the run lives, so
 * their lines are read when it has ended.
 */
async function* readRest(
  backend: Backend,
  id: string,
  { run, task }: { run: RunView; task: string | undefined },
): AsyncGenerator<LogLine> {
  if (run.nextTasks === undefined || run.tasks.some(({ name }) => name === task)) return;
  const last = { task: run.tasks.length - 1, attempt: 2 ** 31 - 1, number: 0 };
  yield* readPages(backend, id, task === undefined ? { after: logCursor(last) } : { task });
}

async function* readPages(backend: Backend, id: string, query: LogsQuery): AsyncGenerator<LogLine> {
  for (let after = query.after; ; ) {
    const page = await backend.logs(id, {
      ...query,
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    yield* page.items;
    if (page.next === undefined) return;
    after = page.next;
  }
}

/** The cursor behind a line, as the API writes it. */
function logCursor(at: { task: number; attempt: number; number: number }): string {
  return `${at.task}.${at.attempt}.${at.number}`;
}
