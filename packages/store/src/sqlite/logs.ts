import type { SQLInputValue } from 'node:sqlite';
import { type LogLineRow, type LogQuery, logRangeOf, validateLogLine } from '../log-lines.ts';
import { logLineBytes, withinBytes } from '../page-bytes.ts';
import type { Context } from './context.ts';
import { idBytes, toLogLine } from './rows.ts';
import { insertLogs } from './sql/logs/insert-logs.ts';
import { readLogs as readLogsSql } from './sql/logs/read-logs.ts';

export function appendLogs({ db, catalog }: Context, lines: readonly LogLineRow[]): void {
  for (const line of lines) validateLogLine(line);
  if (lines.length === 0) return;
  db.write(() => {
    catalog.refresh();
    for (const { run, task, attempt, number, atMs, tenant, stream, text } of lines) {
      const segment = catalog.findOpen(run.ms);
      if (segment === null) continue;
      const key = [idBytes(run), task, attempt, number] as const;
      db.run(insertLogs(segment), ...key, atMs, tenant, stream, text);
    }
  });
}

export function readLogs({ db, catalog }: Context, query: LogQuery): LogLineRow[] {
  const { tenant, run, attempt, sinceMs, limit, bytes } = query;
  const { after, last } = logRangeOf(query);
  const values: SQLInputValue[] = [idBytes(run), after.task, after.attempt, after.number];
  values.push(last.task, last.attempt, tenant);
  if (attempt !== undefined) values.push(attempt);
  if (sinceMs !== undefined) values.push(sinceMs);
  values.push(limit);
  return db.read(() => {
    catalog.refresh();
    const segment = catalog.find(run.ms);
    if (segment === null) return [];
    const filter = { attempt: attempt !== undefined, since: sinceMs !== undefined };
    const sql = readLogsSql(segment, filter);
    return withinBytes(db.eachAs(toLogLine, sql, ...values), bytes, logLineBytes);
  });
}
