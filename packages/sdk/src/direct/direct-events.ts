import { formatRunId, parseRunId } from '@signalbox/engine';
import type { Feed, FeedEvent } from '@signalbox/node/context';
import { taskId } from '@signalbox/protocol';
import type { BoxEvent, EventsFilter } from '../backend.ts';
import { SignalboxError } from '../errors.ts';

/** Events that may wait for their reader. */
const WAITING_MAX = 100_000;

/** What becomes durable in this process's node, as a remote reader would see it. */
export async function* directEvents(params: {
  feed: Feed;
  tenant: string;
  filter: EventsFilter;
  /** Throws where there is no such run. */
  hasEnded: (run: string) => Promise<boolean>;
  signal: AbortSignal;
}): AsyncGenerator<BoxEvent> {
  const { feed, tenant, filter, signal } = params;
  const run = filter.run === undefined ? undefined : parseRunId(filter.run);
  if (run === null) throw new SignalboxError('not_found', `no run has the id "${filter.run}"`);
  const waiting: FeedEvent[] = [];
  let wake = (): void => {};
  const stop = feed.watch(run === undefined ? { tenant } : { tenant, run }, (event) => {
    if (filter.job !== undefined && event.job !== filter.job) return;
    if (waiting.length <= WAITING_MAX) waiting.push(event);
    wake();
  });
  const onAbort = (): void => wake();
  signal.addEventListener('abort', onAbort);
  try {
    // Asked once it is watched, or an end in between would be missed.
    const isOver = filter.run !== undefined && (await params.hasEnded(filter.run));
    while (!signal.aborted) {
      if (waiting.length > WAITING_MAX) {
        throw new SignalboxError('overloaded', 'events came faster than they were read');
      }
      for (const event of waiting.splice(0)) yield shown(event);
      if (isOver) return;
      if (waiting.length > 0 || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    stop();
  }
}

function shown({ kind, at, job, task, attempt, state, detail, ...event }: FeedEvent): BoxEvent {
  const run = formatRunId(event.run);
  return {
    kind,
    at: new Date(at).toISOString(),
    run,
    job,
    ...(task !== undefined && { task: taskId(run, task) }),
    ...(attempt !== undefined && { attempt }),
    ...(state !== undefined && { state }),
    ...(detail !== undefined && { detail }),
  };
}
