import type { RunId } from '@signalbox/engine';
import type { LogLineRow } from '@signalbox/store';
import type { NodeContext } from '../context.ts';

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
  context: NodeContext,
  { tenant, run, sinceMs }: RunLines,
): AsyncGenerator<LogLineRow> {
  await context.logs.flush();
  const query = { tenant, run, limit: LINES_PER_READ };
  let after: LogLineRow | null = null;
  for (;;) {
    // Tested here, line by line: a store that blocks would pass over a long log in one call.
    const lines: LogLineRow[] = await context.store.readLogs({ ...query, after });
    for (const line of lines) if (line.atMs >= sinceMs) yield line;
    if (lines.length < LINES_PER_READ) return;
    after = lines.at(-1) as LogLineRow;
  }
}

/** The same for somebody who asks again and again: the store leaves the others out. */
export async function* newLines(context: NodeContext, lines: RunLines): AsyncGenerator<LogLineRow> {
  const query = { ...lines, limit: LINES_PER_READ };
  let after: LogLineRow | null = null;
  for (;;) {
    const found: LogLineRow[] = await context.store.readLogs({ ...query, after });
    yield* found;
    if (found.length < LINES_PER_READ) return;
    after = found.at(-1) as LogLineRow;
  }
}
