import type { RunId } from '@signalbox/engine';
import { type LogLineRow, logLineBytes, readPages } from '@signalbox/store';
import type { StreamContext } from './feed.ts';

const LINES_PER_READ = 1_000;
/**
 * Lines are timed by the node that received them, and the times of two nodes differ a little: after a
 * take-over a line may be older than one that was sent before it.
 */
export const LINES_OVERLAP_MS = 1_000;

export interface RunLines {
  readonly tenant: string;
  readonly run: RunId;
  readonly sinceMs: number;
}

/** The stored lines of a run from a time onwards, in order of task, attempt and number. */
export async function* linesSince(
  context: StreamContext,
  { tenant, run, sinceMs }: RunLines,
): AsyncGenerator<LogLineRow> {
  await context.logs.flush();
  // Tested here, line by line: a store that blocks would pass over a long log in one call.
  for await (const page of pagesOf(context, { tenant, run })) {
    for (const line of page) if (line.atMs >= sinceMs) yield line;
  }
}

/** Like `linesSince`, for repeated calls: the store omits older lines. */
export async function* newLines(
  context: StreamContext,
  lines: RunLines,
): AsyncGenerator<LogLineRow> {
  for await (const page of pagesOf(context, lines)) yield* page;
}

function pagesOf(
  { store }: StreamContext,
  query: Omit<RunLines, 'sinceMs'> & Partial<RunLines>,
): AsyncGenerator<LogLineRow[]> {
  return readPages<LogLineRow>({
    limit: LINES_PER_READ,
    bytesOf: logLineBytes,
    read: (after, limits) => store.readLogs({ ...query, after, ...limits }),
  });
}
