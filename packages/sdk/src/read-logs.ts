import { setTimeout as pause } from 'node:timers/promises';
import { isEnded, type LogLine, type RunView, type TaskView } from '@signalbox/protocol';
import type { Backend, LogsQuery } from './backend.ts';
import { SignalboxError } from './errors.ts';
import { checkOptions, type MembersOf } from './known-members.ts';

/** How often a follower looks for more lines, at the least and at the most. */
const LOOK_MS = 100;
const LOOK_MAX_MS = 1_000;
const PAGE = 1_000;
/** How long a follower waits for a node that does not answer. */
const PATIENCE_MS = 60_000;
/** Answers of a node that starts, is overloaded, or does not own the run at the moment. */
const FOR_NOW: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

export interface LogsOptions {
  /** Only lines of this task. */
  readonly task?: string;
  /** Continues with new lines until the run has ended. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

const LOGS_MEMBERS = {
  task: true,
  follow: true,
  signal: true,
} as const satisfies MembersOf<LogsOptions>;

/** Every line that was kept, by task, attempt and number; with `follow` also those to come. */
export async function* readLogs(
  backend: Backend,
  id: string,
  options: LogsOptions,
): AsyncGenerator<LogLine> {
  checkOptions('logs', options, LOGS_MEMBERS);
  const { task, signal } = options;
  signal?.throwIfAborted();
  if (!options.follow) {
    for await (const line of readPages(backend, id, { task })) {
      signal?.throwIfAborted();
      yield line;
    }
    return;
  }
  const places = new Map<number, Place>();
  const done = new Set<number>();
  const ask = patient(signal);
  for (let lookMs = LOOK_MS; ; ) {
    // Asked before reading: lines of a run that has ended now are all there.
    const run = await ask(() => backend.run(id, { signal }));
    const isOver = isEnded(run.state);
    let read = 0;
    // Each task from where it was left: tasks print at the same time, pages come one task after the other.
    for await (const [index, { name, state, attempts }] of tasksOf(backend, run, ask)) {
      if (task !== undefined && task !== name) continue;
      // Looked at once more at the end: a lost worker's last lines may come behind the end of its task.
      if (!isOver && (attempts?.length === 0 || done.has(index))) continue;
      if (isEnded(state)) done.add(index);
      const place: Place = places.get(index) ?? {};
      places.set(index, place);
      for await (const line of readPages(backend, id, { task: name, ask, place })) {
        signal?.throwIfAborted();
        read++;
        yield line;
      }
    }
    if (isOver) return;
    lookMs = read > 0 ? LOOK_MS : Math.min(LOOK_MAX_MS, lookMs * 2);
    await pause(lookMs, undefined, { signal });
  }
}

type Ask = <T>(question: () => Promise<T>) => Promise<T>;

/** Every task with its place in the run; a view names the first thousand. */
async function* tasksOf(
  backend: Backend,
  run: RunView,
  ask: Ask,
): AsyncGenerator<[number, TaskView]> {
  yield* run.tasks.entries();
  let index = run.tasks.length;
  for (let cursor = run.nextTasks; cursor !== undefined; ) {
    const from = cursor;
    const page = await ask(() => backend.tasks(run.id, from));
    for (const task of page.items) yield [index++, task];
    cursor = page.next;
  }
}

/** Repeats the request while the node restarts or the run has no owner, because following must not end. */
function patient(signal: AbortSignal | undefined): Ask {
  return async (question) => {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await question();
      } catch (error) {
        if (!mayPass(error) || performance.now() > until) throw error;
        await pause(LOOK_MS, undefined, { signal });
      }
    }
  };
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof SignalboxError)) return false;
  const { code, status } = error;
  return code === 'unreachable' ? status === 0 : FOR_NOW.has(status);
}

async function* readPages(
  backend: Backend,
  id: string,
  { task, place = {}, ask = (question) => question() }: PagesQuery,
): AsyncGenerator<LogLine> {
  for (;;) {
    const { after, last } = place;
    const query: LogsQuery = {
      limit: PAGE,
      ...(task !== undefined && { task }),
      ...(after !== undefined && { after }),
    };
    const page = await ask(() => backend.logs(id, query));
    for (const line of page.items) {
      if (last !== undefined && !isBehind(line, last)) continue;
      place.last = line;
      yield line;
    }
    if (page.next === undefined) return;
    place.after = page.next;
    delete place.last;
  }
}

function isBehind(line: LogLine, last: LogLine): boolean {
  return line.attempt === last.attempt ? line.number > last.number : line.attempt > last.attempt;
}

/** How far the lines of a task are read: the last page has no cursor, and is read again. */
interface Place {
  after?: string;
  last?: LogLine;
}

interface PagesQuery {
  readonly task?: string | undefined;
  readonly place?: Place;
  readonly ask?: Ask;
}
