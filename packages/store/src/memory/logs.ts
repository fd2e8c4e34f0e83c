import { formatRunId } from '@signalbox/engine';
import {
  compareLogCursors,
  type LogLineRow,
  type LogQuery,
  logRangeOf,
  validateLogLine,
} from '../log-lines.ts';
import { logLineBytes, withinBytes } from '../page-bytes.ts';
import { copyLogLine } from './copy.ts';
import { isOpen } from './segments.ts';
import { logOf, type MemoryState } from './state.ts';

export function appendLogs(state: MemoryState, lines: readonly LogLineRow[]): void {
  for (const line of lines) validateLogLine(line);
  for (const line of lines) {
    if (!isOpen(state, line.run)) continue;
    const copy = copyLogLine(line);
    logOf(state, copy.run).lines.insert(copy);
  }
}

export function readLogs(state: MemoryState, query: LogQuery): LogLineRow[] {
  const { after, last } = logRangeOf(query);
  const lines = state.logs.get(formatRunId(query.run))?.lines;
  const found: LogLineRow[] = [];
  if (lines === undefined) return found;
  const start = lines.position((line) => (compareLogCursors(line, after) <= 0 ? -1 : 1));
  const end = lines.position(
    (line) => line.task - last.task || (line.attempt <= last.attempt ? -1 : 1),
  );
  for (let i = start; i < end && found.length < query.limit; i++) {
    const line = lines.items[i] as LogLineRow;
    if (line.tenant !== query.tenant) continue;
    if (query.attempt !== undefined && line.attempt !== query.attempt) continue;
    if (query.sinceMs !== undefined && line.atMs < query.sinceMs) continue;
    found.push(copyLogLine(line));
  }
  return withinBytes(found, query.bytes, logLineBytes);
}
