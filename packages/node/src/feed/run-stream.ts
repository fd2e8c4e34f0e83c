import { isTerminalRun, type RunId } from '@signalbox/engine';
import type { RunView } from '@signalbox/protocol';
import type { LogLineRow } from '@signalbox/store';
import type { NodeContext } from '../context.ts';
import { eventText, messageText } from './event-text.ts';
import { formatOne, parsePositions } from './positions.ts';
import { replay, TooOld } from './replay.ts';
import type { RunFeed } from './run-feed.ts';
import { BUFFER_MAX, type Sink, SlowGuard } from './sink.ts';

const LINES_PER_READ = 1_000;
const LINES_MAX = 10_000;

export interface RunStreamParams {
  readonly context: NodeContext;
  readonly tenant: string;
  readonly run: RunId;
  /** The run as it is now; asked for once the stream listens. */
  readonly view: () => Promise<RunView>;
  readonly showLine: (line: LogLineRow) => unknown;
  readonly lastEventId?: string;
  readonly sink: Sink;
}

/**
 * The facts and log lines of one run, as server-sent events. It begins with the run as it is
 * (`state`), and ends after the end of the run with `end`. Facts come once each, also over a
 * reconnect; a log line may come again after one, and is known by task, attempt and number.
 */
export async function streamRun(params: RunStreamParams & { feed: RunFeed }): Promise<SlowGuard> {
  const { context, feed, tenant, run, lastEventId, sink } = params;
  const { partition } = run;
  let isOver = false;
  let linesUpTo = 0;
  const idLine = (position: string): string =>
    `id: ${position}${linesUpTo === 0 ? '' : `~${linesUpTo.toString(36)}`}\n`;
  const here = (): string =>
    formatOne(partition, feed.positions(partition).get(partition)?.seq ?? 0, null);
  let waiting: (() => string)[] | null = [];
  const tell = (text: () => string): void => {
    if (waiting === null) guard.write(text());
    else if (waiting.push(text) > BUFFER_MAX / 256) guard.close();
  };
  const stopFacts = feed.watch({ tenant, run }, (event) => {
    const { seq, index } = event;
    tell(() => `${idLine(formatOne(partition, seq, index))}${eventText(event)}`);
    if (event.kind !== 'runEnded') return;
    isOver = true;
    if (waiting === null) finish();
  });
  const tellLine = (line: LogLineRow): void =>
    tell(() => {
      linesUpTo = Math.max(linesUpTo, line.atMs);
      return messageText('log', params.showLine(line));
    });
  const stopLines = context.logs.onLine?.((line) => {
    const { run: of } = line;
    if (of.seq !== run.seq || of.partition !== partition || of.ms !== run.ms) return;
    if (line.tenant === tenant) tellLine(line);
  });
  const guard = new SlowGuard({
    sink,
    beat: () => idLine(here()),
    onClose: () => {
      stopFacts();
      stopLines?.();
    },
  });
  const finish = (): void => {
    guard.write(messageText('end', {}));
    guard.end();
  };
  try {
    const start = here();
    const to = parsePositions(start)?.get(partition)?.seq ?? 0;
    const view = await params.view();
    const [position = '', since] = lastEventId?.split('~') ?? [];
    const from = parsePositions(position)?.get(partition);
    if (from === undefined) {
      guard.write(`${idLine(start)}${messageText('state', view)}`);
    } else {
      try {
        for await (const event of replay({ context, tenant, run, partition, from, to })) {
          const at = formatOne(partition, event.seq, event.index);
          guard.write(`${idLine(at)}${eventText(event)}`);
          await guard.ready();
        }
      } catch (error) {
        if (!(error instanceof TooOld)) throw error;
        guard.write(`${idLine(start)}${messageText('reset', {})}${messageText('state', view)}`);
      }
      const sinceMs = since === undefined ? 0 : Number.parseInt(since, 36);
      for (const line of await linesSince(context, { tenant, run, sinceMs })) {
        linesUpTo = Math.max(linesUpTo, line.atMs);
        guard.write(messageText('log', params.showLine(line)));
      }
    }
    isOver ||= isTerminalRun(view.state);
    for (const text of waiting) guard.write(text());
    waiting = null;
    if (isOver) finish();
    return guard;
  } catch (error) {
    guard.close();
    throw error;
  }
}

export async function linesSince(
  context: NodeContext,
  of: { tenant: string; run: RunId; sinceMs: number },
): Promise<LogLineRow[]> {
  const { tenant, run } = of;
  const found: LogLineRow[] = [];
  await context.logs.flush();
  let after: LogLineRow | null = null;
  for (let read = 0; read < LINES_MAX; read += LINES_PER_READ) {
    const lines: LogLineRow[] = await context.store.readLogs({
      tenant,
      run,
      after,
      limit: LINES_PER_READ,
    });
    found.push(...lines.filter((line) => line.atMs >= of.sinceMs));
    after = lines.at(-1) ?? null;
    if (lines.length < LINES_PER_READ) break;
  }
  return found;
}
