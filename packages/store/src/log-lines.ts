import type { RunId } from '@signalbox/engine';
import { StoreError } from './errors.ts';
import { requireText, requireTexts } from './validate-text.ts';

/** One line that an attempt printed. */
export interface LogLineRow {
  readonly tenant: string;
  readonly run: RunId;
  /** Place of the task in its run. */
  readonly task: number;
  readonly attempt: number;
  /** Place of the line among all lines of its attempt, of whichever stream. */
  readonly number: number;
  readonly atMs: number;
  readonly stream: string;
  readonly text: string;
}

/** A place in the log of a run. */
export interface LogCursor {
  readonly task: number;
  readonly attempt: number;
  readonly number: number;
}

export interface LogQuery {
  readonly tenant: string;
  readonly run: RunId;
  readonly task?: number;
  readonly attempt?: number;
  /** Only lines printed at this time or later. */
  readonly sinceMs?: number;
  readonly after: LogCursor | null;
  readonly limit: number;
  /** The page ends with the line whose `logLineBytes` reach them. */
  readonly bytes?: number;
}

/** What fits the narrowest column of any store. */
const COUNT_MAX = 2 ** 31 - 1;

export function validateLogLine(line: LogLineRow): void {
  requireText('line.tenant', line.tenant);
  requireText('line.stream', line.stream);
  requireText('line.text', line.text);
  requireWithin('line.task', line.task, { from: 0, to: COUNT_MAX });
  requireWithin('line.attempt', line.attempt, { from: 0, to: COUNT_MAX });
  requireWithin('line.number', line.number, { from: 0, to: Number.MAX_SAFE_INTEGER });
  const { MIN_SAFE_INTEGER: from, MAX_SAFE_INTEGER: to } = Number;
  requireWithin('line.atMs', line.atMs, { from, to });
}

/** The stretch of a run's log that a query asks for. */
export interface LogRange {
  /** Lines after this place … */
  readonly after: LogCursor;
  /** … and not after the last line of this attempt. */
  readonly last: { readonly task: number; readonly attempt: number };
}

/**
 * The query as two bounds of the key: a store reads the range between them, while filters would make it
 * read the lines of every other task.
 */
export function logRangeOf(query: LogQuery): LogRange {
  const { tenant, task, attempt } = query;
  requireTexts({ tenant });
  for (const [name, value] of Object.entries({ task, attempt })) {
    if (value !== undefined) requireWithin(name, value, { from: 0, to: COUNT_MAX });
  }
  if (query.sinceMs !== undefined) {
    const { MIN_SAFE_INTEGER: from, MAX_SAFE_INTEGER: to } = Number;
    requireWithin('sinceMs', query.sinceMs, { from, to });
  }
  const after = query.after ?? { task: -1, attempt: -1, number: -1 };
  requireWithin('after.task', after.task, { from: -1, to: COUNT_MAX });
  requireWithin('after.attempt', after.attempt, { from: -1, to: COUNT_MAX });
  requireWithin('after.number', after.number, { from: -1, to: Number.MAX_SAFE_INTEGER });
  if (task === undefined) return { after, last: { task: COUNT_MAX, attempt: COUNT_MAX } };
  const first = { task, attempt: attempt ?? 0, number: -1 };
  return {
    after: compareLogCursors(after, first) < 0 ? first : after,
    last: { task, attempt: attempt ?? COUNT_MAX },
  };
}

export function compareLogCursors(a: LogCursor, b: LogCursor): number {
  return a.task - b.task || a.attempt - b.attempt || a.number - b.number;
}

function requireWithin(
  field: string,
  value: number,
  range: { readonly from: number; readonly to: number },
): void {
  if (Number.isSafeInteger(value) && value >= range.from && value <= range.to) return;
  throw new StoreError('invalid', `${field} must be a whole number within its range, not ${value}`);
}
