import { formatRunId, grownNames, type JobSpec, type RunId } from '@signalbox/engine';
import type { LogLine, Page } from '@signalbox/protocol';
import { parseTaskId } from '@signalbox/protocol';
import { type LogCursor, type LogLineRow, logLineBytes, readOnePage } from '@signalbox/store';
import { ApiError, type NodeContext } from '../../context/index.ts';
import { noRun } from '../../errors/refusals.ts';
import { NO_TASKS } from '../../loop/index.ts';
import { invalidCursor } from '../common/cursors.ts';
import { operation } from '../common/operation.ts';
import { paged } from '../common/paged.ts';
import { findTakenRun } from './find-run.ts';
import { readAnywhere } from './read-run.ts';
import { instant } from './run-view.ts';

const LINES_MAX = 1_000;

export interface LogFilter {
  /** A run's id. */
  readonly id: string;
  readonly task?: string;
  readonly attempt?: number;
  readonly after?: string;
  readonly limit?: number;
}

/** What the tasks of a run printed, in order of task, attempt and line (API-05). */
export const runLogs = operation(
  paged('logs', async (context, caller, filter: LogFilter): Promise<Page<LogLine>> => {
    const { store, loop } = context;
    const { tenant } = caller;
    const { id: run } = await findTakenRun(context, tenant, filter.id);
    const [row] = await store.readRuns({ ids: [{ tenant, id: run }], withInput: false });
    if (row === undefined) throw noRun(formatRunId(run));
    const spec = await loop.specs.load({ tenant, job: row.job, version: row.jobVersion });
    const names = await taskNames(context, tenant, { run, spec });
    const limit = Math.min(filter.limit ?? 100, LINES_MAX);
    // What was printed a moment ago is still on its way to the store.
    await context.logs.flush();
    const query = {
      tenant,
      run,
      ...(filter.task === undefined ? {} : { task: indexOf(names, filter.task) }),
      ...(filter.attempt === undefined ? {} : { attempt: filter.attempt }),
      after: filter.after === undefined ? null : parseCursor(filter.after),
    };
    const { rows, last } = await readOnePage<LogLineRow>({
      limit,
      bytesOf: logLineBytes,
      read: (limits) => store.readLogs({ ...query, ...limits }),
    });
    const items = rows.map((line) => showLine(line, names));
    return last === null ? { items } : { items, next: cursorText(last) };
  }),
);

/** The same of one task, by the task's id. */
export const taskLogs = operation(
  async (context, caller, params: Omit<LogFilter, 'task'>): Promise<Page<LogLine>> => {
    const named = parseTaskId(params.id);
    if (named === null) throw new ApiError('not_found', 'there is no task with this id');
    return runLogs(context, caller, { ...params, id: named.run, task: named.task });
  },
);

/** Of the job version and, where the run may have grown, of what it grew by. */
export async function taskNames(
  context: NodeContext,
  tenant: string,
  { run, spec }: { run: RunId; spec: JobSpec },
): Promise<string[]> {
  const names = spec.tasks.map(({ name }) => name);
  if (!spec.tasks.some(({ step }) => step.fanOut !== null || step.dynamic)) return names;
  const { growth } = await readAnywhere(context, { tenant, id: run, select: NO_TASKS });
  return [...names, ...grownNames(spec, growth)];
}

export function showLine(line: LogLineRow, names: readonly string[]): LogLine {
  return {
    task: names[line.task] ?? `${line.task}`,
    attempt: line.attempt,
    number: line.number,
    at: instant(line.atMs),
    stream: line.stream as LogLine['stream'],
    text: line.text,
  };
}

function indexOf(names: readonly string[], name: string): number {
  const index = names.indexOf(name);
  if (index < 0) throw new ApiError('not_found', 'the run has no task with this name');
  return index;
}

function cursorText({ task, attempt, number }: LogCursor): string {
  return `${task}.${attempt}.${number}`;
}

function parseCursor(text: string): LogCursor {
  const parts = /^(\d{1,9})\.(\d{1,9})\.(\d{1,15})$/.exec(text);
  if (parts === null) throw invalidCursor('after');
  return { task: Number(parts[1]), attempt: Number(parts[2]), number: Number(parts[3]) };
}
