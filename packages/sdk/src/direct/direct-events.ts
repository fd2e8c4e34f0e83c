import { formatRunId, parseRunId } from '@signalbox/engine';
import type { Feed, FeedEvent } from '@signalbox/node/context';
import { taskId } from '@signalbox/protocol';
import type { BoxEvent, EventsFilter } from '../backend.ts';
import { SignalboxError } from '../errors.ts';

/** Events that may wait for their reader. */
const WAITING_MAX = 100_000;
/**
 * How often it is looked whether the run has ended. The feed tells what this node decides: an end that is
 * decided elsewhere, or was committed while the partition was lost, never comes.
 */
const LOOK_MS = 1_000;

/** What becomes durable in this process's node, as a remote reader would see it. */
export async function* directEvents(params: {
  feed: Feed;
  tenant: string;
  filter: EventsFilter;
  /** Throws if there is no such run, or if its state is unavailable at the moment. */
  hasEnded: (run: string) => Promise<boolean>;
  signal: AbortSignal;
}): AsyncGenerator<BoxEvent> {
  const { feed, tenant, filter, signal } = params;
  const run = filter.run === undefined ? undefined : parseRunId(filter.run);
  if (run === null)
    throw new SignalboxError('not_found', `there is no run with the id "${filter.run}"`);
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
    let isOver = filter.run !== undefined && (await params.hasEnded(filter.run));
    let hadEnded = false;
    while (!signal.aborted) {
      if (waiting.length > WAITING_MAX) {
        throw new SignalboxError(
          'overloaded',
          'events arrived faster than they were read; read faster, or filter by job or run',
        );
      }
      for (const event of waiting.splice(0)) yield shown(event);
      if (isOver) return;
      if (waiting.length > 0 || signal.aborted) continue;
      const isWoken = await wokenWithin(filter.run === undefined ? null : LOOK_MS, (resolve) => {
        wake = resolve;
      });
      if (isWoken || filter.run === undefined) continue;
      // One look later: what the feed has of the end may be on its way.
      isOver = hadEnded;
      hadEnded = await params.hasEnded(filter.run).catch(() => false);
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    stop();
  }
}

/** True where it was woken; false where the time is over before. */
function wokenWithin(ms: number | null, onWake: (wake: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = ms === null ? undefined : setTimeout(() => resolve(false), ms);
    onWake(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
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
