import type { RunId } from '@signalbox/engine';
import { StoreError } from '../errors.ts';
import { type LogLineRow, type LogQuery, logRangeOf, validateLogLine } from '../log-lines.ts';
import { ANY_BYTES } from '../page-bytes.ts';
import { hasCode } from './connection/failure.ts';
import { type Step, silentStep, step } from './connection/step.ts';
import type { Database } from './database.ts';
import { insertLogs } from './sql/logs/insert-logs.ts';
import { readLogs as readLogsSql } from './sql/logs/read-logs.ts';

export interface LogColumns {
  readonly run: RunId;
  readonly task: number;
  readonly attempt: number;
  readonly number: number;
  readonly at_ms: number;
  readonly tenant: string;
  readonly stream: string;
  readonly text: string;
}

/** Each attempt fails only if another segment is sealed while it runs. */
const ATTEMPTS_MAX = 5;
const CHECK = ['23514'];

/** Over the pool: log lines must not delay a commit. */
export async function appendLogs(database: Database, lines: readonly LogLineRow[]): Promise<void> {
  for (const line of lines) validateLogLine(line);
  if (lines.length === 0) return;
  const insert = insertStep(database.schema, lines);
  for (let attempt = 1; ; attempt++) {
    try {
      await database.query(insert, 'repeatable');
      return;
    } catch (error) {
      // The segment of a line was sealed meanwhile: the next attempt leaves the line out.
      const wasSealed = error instanceof StoreError && hasCode(error.cause, CHECK);
      if (!wasSealed || attempt >= ATTEMPTS_MAX) throw error;
    }
  }
}

function insertStep(schema: string, lines: readonly LogLineRow[]): Step {
  return silentStep(insertLogs(schema), 9, (writer) => {
    writer.uuids(lines.map(({ run }) => run));
    writer.int8s(lines.map(({ run }) => run.ms));
    writer.int4s(lines.map(({ task }) => task));
    writer.int4s(lines.map(({ attempt }) => attempt));
    writer.int8s(lines.map(({ number }) => number));
    writer.int8s(lines.map(({ atMs }) => atMs));
    writer.texts(lines.map(({ tenant }) => tenant));
    writer.texts(lines.map(({ stream }) => stream));
    writer.texts(lines.map(({ text }) => text));
  });
}

export async function readLogs(database: Database, query: LogQuery): Promise<LogLineRow[]> {
  const { tenant, run, attempt, sinceMs, limit, bytes = ANY_BYTES } = query;
  const { after, last } = logRangeOf(query);
  const rows = await database.read<LogColumns>(
    step(readLogsSql(database.schema), 11, (writer) => {
      writer.uuid(run);
      writer.int4(after.task);
      writer.int4(after.attempt);
      writer.int8(after.number);
      writer.int4(last.task);
      writer.int4(last.attempt);
      writer.text(tenant);
      if (attempt === undefined) writer.null();
      else writer.int4(attempt);
      if (sinceMs === undefined) writer.null();
      else writer.int8(sinceMs);
      writer.int8(limit);
      writer.int8(bytes);
    }),
  );
  return rows.map(toLogLine);
}

export function toLogLine(row: LogColumns): LogLineRow {
  const { tenant, run, task, attempt, number, at_ms: atMs, stream, text } = row;
  return { tenant, run, task, attempt, number, atMs, stream, text };
}
