import { isTerminalRun, type RunId } from '@signalbox/engine';
import type { RunView } from '@signalbox/protocol';
import type { LogLineRow } from '@signalbox/store';
import { eventText, messageText } from './event-text.ts';
import type { StreamContext } from './feed.ts';
import type { Position } from './positions.ts';
import { type ReplayedEvent, replay, TooOld } from './replay.ts';
import type { RunFeed } from './run-feed.ts';
import { LINES_OVERLAP_MS, linesSince } from './run-lines.ts';
import { formatRunPosition, parseRunPosition } from './run-position.ts';
import type { SentLines } from './sent-lines.ts';
import { BUFFER_MAX, type Sink, SlowGuard } from './sink.ts';

export interface RunStreamParams {
  readonly context: StreamContext;
  readonly tenant: string;
  readonly run: RunId;
  /** The run as it is now; asked for once the stream listens. */
  readonly view: () => Promise<RunView>;
  readonly showLine: (line: LogLineRow) => unknown;
  /** Reads the names of so many tasks, where the run has grown since and is not in this node's memory. */
  readonly learnNames?: (count: number) => Promise<void>;
  readonly lastEventId?: string;
  readonly sink: Sink;
  readonly heartbeatMs?: number;
}

/**
 * The facts and log lines of one run, as server-sent events. It begins with the run as it is
 * (`state`), and ends after the end of the run with `end`. Facts and lines come once each, also over a
 * reconnect. A line may come again if more than 32 attempts printed in the second before it, and is known by
 * task, attempt and number.
 */
export async function streamRun(params: RunStreamParams & { feed: RunFeed }): Promise<SlowGuard> {
  const { context, feed, tenant, run, lastEventId, sink } = params;
  const { partition } = run;
  const { from, lines } = parseRunPosition(lastEventId, partition);
  let isOver = false;
  const here = (): Position => feed.positions(partition).get(partition) ?? { seq: 0, index: null };
  /** What has been sent, while the journal and the stored lines are read: the feed is ahead of it. */
  let sent: Position | null = from ?? null;
  const idLine = (position: Position): string =>
    `id: ${formatRunPosition(partition, position, lines)}\n`;
  let waiting: (() => string)[] | null = [];
  /** Where the client is further than the feed had come: what the feed reports up to there was sent. */
  let ahead: Position | null = null;
  /** A feed that waits for the name of a run does not take the client back to where it stands. */
  const reached = (): Position => {
    const at = here();
    return ahead !== null && ahead.seq > at.seq ? ahead : at;
  };
  /** The last fact whose id was sent; while earlier facts wait to be sent, the feed is ahead of it. */
  let lastSent: { seq: number; index: number } | null = null;
  const reachedByClient = (): Position => {
    if (sent === null) return reached();
    return lastSent === null || isUpTo(lastSent, sent) ? sent : lastSent;
  };
  const tell = (text: () => string): void => {
    if (waiting === null) guard.write(text());
    else if (waiting.push(text) > BUFFER_MAX / 256) guard.close();
  };
  const stopFacts = feed.watch({ tenant, run }, (event) => {
    const { seq, index } = event;
    tell(() => {
      if (isUpTo(event, ahead)) return '';
      lastSent = { seq, index };
      return `${idLine(lastSent)}${eventText(event)}`;
    });
    if (event.kind !== 'runEnded') return;
    isOver = true;
    if (waiting === null) finish();
  });
  const stopLines = context.logs.onLine?.((line) => {
    const { run: of } = line;
    if (of.seq !== run.seq || of.partition !== partition || of.ms !== run.ms) return;
    if (line.tenant !== tenant) return;
    tell(() => {
      // It came while the stored lines were read, and was one of them.
      if (waiting !== null && lines.wasAdded(line)) return '';
      lines.upToMs = Math.max(lines.upToMs, line.atMs);
      lines.add(line);
      return `${idLine(reachedByClient())}${messageText('log', params.showLine(line))}`;
    });
  });
  // The feed has nothing more of it: the client resumes on this node or another, from the journal.
  const stopOwnership = feed.onOwnership({
    began: () => {},
    ceased: (lost) => void (lost === partition && guard.close()),
  });
  const guard = new SlowGuard({
    sink,
    beat: () => idLine(reachedByClient()),
    onClose: () => {
      stopFacts();
      stopLines?.();
      stopOwnership();
    },
    timers: context.timers,
    ...(params.heartbeatMs === undefined ? {} : { heartbeatMs: params.heartbeatMs }),
  });
  let isEndSent = false;
  const sendEvent = (event: ReplayedEvent): void => {
    sent = event;
    isEndSent ||= event.kind === 'runEnded';
    guard.write(`${idLine(event)}${eventText(event)}`);
  };
  const finish = (): void => {
    guard.write(messageText('end', {}));
    guard.end();
  };
  try {
    const start = here();
    sent ??= start;
    const view = await params.view();
    if (lastEventId === undefined) {
      guard.write(`${idLine(start)}${messageText('state', view)}`);
    } else {
      try {
        // It is not an id of this run's stream: what the client has seen is unknown.
        if (from === undefined) throw new TooOld();
        const missed = { guard, sendEvent };
        const last = await sendMissed(params, { ...missed, from, to: start.seq });
        // The view is of the store, which is ahead of a feed that waits for the name of a run: its
        // end would never be sent, because the stream ends here.
        const isMissing = isTerminalRun(view.state) && !isEndSent;
        if (isMissing) ahead = await sendMissed(params, { ...missed, from: last, to: null });
        // Another node, or this one without a lease, sent it what it read of the journal.
        else if (last.seq > start.seq) ahead = last;
        if (guard.closed) return guard;
        if (start.seq > sent.seq) sent = start;
      } catch (error) {
        if (!(error instanceof TooOld)) throw error;
        sent = start;
        lines.clear();
        guard.write(`${idLine(start)}${messageText('reset', {})}${messageText('state', view)}`);
      }
      await sendLines(params, { guard, lines, idLine: () => idLine(reachedByClient()) });
    }
    isOver ||= isTerminalRun(view.state);
    for (const text of waiting) guard.write(text());
    waiting = null;
    sent = null;
    if (isOver) finish();
    return guard;
  } catch (error) {
    guard.close();
    throw error;
  }
}

/** Sends the facts that the client missed, up to a group or all that the journal has; returns the last place. */
async function sendMissed(
  { context, tenant, run }: RunStreamParams,
  missed: {
    readonly guard: SlowGuard;
    readonly from: Position;
    readonly to: number | null;
    readonly sendEvent: (event: ReplayedEvent) => void;
  },
): Promise<Position> {
  const { guard, from, to, sendEvent } = missed;
  const { partition } = run;
  let last = from;
  for await (const event of replay({ context, tenant, run, partition, from, to })) {
    if (guard.closed) break;
    last = { seq: event.seq, index: event.index };
    sendEvent(event);
    await guard.ready();
  }
  return last;
}

function isUpTo({ seq, index }: { seq: number; index: number }, to: Position | null): boolean {
  if (to === null) return false;
  return seq < to.seq || (seq === to.seq && (to.index === null || index <= to.index));
}

/**
 * Lines are stored by task, not by time: the time moves on when all of them have been sent, or one who
 * is cut off in between would miss the rest.
 */
async function sendLines(
  { context, tenant, run, showLine }: RunStreamParams,
  to: { readonly guard: SlowGuard; readonly lines: SentLines; readonly idLine: () => string },
): Promise<void> {
  const { guard, lines, idLine } = to;
  let upTo = lines.upToMs;
  const since = { tenant, run, sinceMs: lines.upToMs - LINES_OVERLAP_MS };
  for await (const line of linesSince(context, since)) {
    if (guard.closed) return;
    upTo = Math.max(upTo, line.atMs);
    if (lines.has(line)) continue;
    lines.add(line);
    guard.write(`${idLine()}${messageText('log', showLine(line))}`);
    await guard.ready();
  }
  lines.upToMs = upTo;
}
