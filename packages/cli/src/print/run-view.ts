import { isEnded, type JobDefinition, type RunView, type TaskView } from '@signalbox/protocol';
import { printValue } from './json.ts';
import { printFields, printTable } from './table.ts';
import { percent, taskNotes } from './task-notes.ts';
import { spanOf, type TaskRow, taskRows } from './task-rows.ts';
import type { Terminal } from './terminal.ts';
import { timeline } from './timeline.ts';
import { elapsed, relative, span } from './times.ts';

export const RUN_HEAD = ['ID', 'JOB', 'PRIORITY', 'STATE', 'SUBMITTED', 'TOOK', 'TRIGGER'] as const;

export function runRow(terminal: Terminal, run: RunView): string[] {
  const now = terminal.now();
  return [
    run.id,
    run.job,
    run.priority,
    terminal.paint.state(run.state),
    relative(run.submittedAt, now),
    run.endedAt === null ? '' : elapsed(run.submittedAt, run.endedAt, now),
    triggerCell(run),
  ];
}

/** What started it, in short: `schedule nightly`, `event paid`, `no_event files`, `manual`, `api`. */
function triggerOf({ trigger }: RunView): string {
  const { kind = '', of = '' } = trigger ?? {};
  return `${kind} ${of}`.trim();
}

/** And of which window: what tells two runs of one schedule apart. */
function triggerCell(run: RunView): string {
  return run.window === undefined ? triggerOf(run) : `${triggerOf(run)} ${run.window.at}`;
}

/** And in full: which window, which event, by whom. */
function triggerDetail(run: RunView): string {
  const { trigger, event, window } = run;
  const by = trigger?.['by'] === undefined ? '' : ` by ${trigger['by']}`;
  const parts = [`${triggerOf(run)}${by}`];
  if (window !== undefined) {
    const flags = `${window.catchUp ? ', caught up' : ''}${window.backfill ? ', backfilled' : ''}`;
    parts.push(`window ${window.at}${flags}`);
  }
  if (event !== undefined) parts.push(`${event.type} ${event.id} of ${event.source}`);
  return parts.join(': ');
}

export interface RunPrinting {
  readonly isAscii: boolean;
  /** Bars over time below the table, for people. */
  readonly hasTimeline: boolean;
  /** If known: distinguishes tasks that wait for a person. */
  readonly definition?: JobDefinition | undefined;
}

export function printRun(terminal: Terminal, run: RunView, printing: RunPrinting): void {
  printHead(terminal, run);
  terminal.line('');
  const rows = taskRows(run.tasks);
  const noteOf = taskNotes({ run, definition: printing.definition, now: terminal.now() });
  const cells = rows.map((row) => [...taskCells(terminal, row), noteOf(row)]);
  printTable(terminal, ['TASK', 'STATE', 'ATTEMPTS', 'WORKER', 'TOOK', 'NOTE'], cells);
  const hasBegun = rows.some(({ attempts, wait }) => attempts.length > 0 || wait !== null);
  if (printing.hasTimeline && rows.length > 1 && hasBegun) {
    const { columns, paint } = terminal;
    const from = Date.parse(run.submittedAt);
    const until = run.endedAt === null ? terminal.now() : Date.parse(run.endedAt);
    const { isAscii } = printing;
    terminal.line('');
    for (const line of timeline(rows, { from, until, columns, isAscii, paint })) {
      terminal.line(line);
    }
  }
  if (run.output === undefined) return;
  terminal.line('');
  terminal.line(terminal.paint.dim('output:'));
  printValue(terminal, run.output);
}

export function printHead(terminal: Terminal, run: RunView): void {
  const now = terminal.now();
  const { idempotencyKey: key, endedAt, nestedIn } = run;
  printFields(terminal, [
    ['run', run.id],
    ['job', `${run.job} (version ${run.jobVersion}, ${run.priority})`],
    ['state', terminal.paint.state(run.state)],
    ['submitted', `${relative(run.submittedAt, now)} (${run.submittedAt})`],
    ...(endedAt === null ? [] : ([['took', elapsed(run.submittedAt, endedAt, now)]] as const)),
    ...(run.trigger === undefined ? [] : ([['trigger', triggerDetail(run)]] as const)),
    ...(key === undefined ? [] : ([['idempotency key', key]] as const)),
    ...(nestedIn === undefined
      ? []
      : ([['nested in', `${nestedIn.run}:${nestedIn.task}`]] as const)),
  ]);
}

function taskCells(terminal: Terminal, row: TaskRow): string[] {
  const took = spanOf(row, terminal.now());
  return [
    row.name,
    terminal.paint.state(row.state),
    String(row.attemptCount),
    row.worker,
    took === null ? '' : span(took[1] - took[0]),
  ];
}

export function printTask(terminal: Terminal, task: TaskView): void {
  printFields(terminal, [
    ['task', task.id],
    ['state', terminal.paint.state(task.state)],
    ...(task.progress === null ? [] : ([['progress', percent(task.progress)]] as const)),
    ...(task.runAt === null ? [] : ([['due', relative(task.runAt, terminal.now())]] as const)),
    ...(task.nestedRun === undefined ? [] : ([['nested run', task.nestedRun]] as const)),
  ]);
  if (task.error !== null) {
    terminal.line('');
    terminal.line(terminal.paint.dim('error:'));
    terminal.line(task.error);
  }
  if (task.attempts.length === 0) return;
  terminal.line('');
  const rows = task.attempts.map((attempt) => [
    String(attempt.number),
    attempt.worker,
    relative(attempt.startedAt ?? attempt.assignedAt, terminal.now()),
    elapsed(attempt.startedAt, attempt.endedAt, terminal.now()),
    attempt.outcome,
  ]);
  printTable(terminal, ['ATTEMPT', 'WORKER', 'STARTED', 'TOOK', 'OUTCOME'], rows);
}

/** Where a run stands, in one line for a terminal that is waiting. */
export function progressLine(terminal: Terminal, run: RunView): string {
  const ended = run.tasks.filter((task) => task.attempts.length > 0 && isEnded(task.state)).length;
  const running = run.tasks.find((task) => task.state === 'RUNNING');
  const again = run.tasks.find((task) => task.state === 'PENDING' && task.error !== null);
  const parts = [terminal.paint.state(run.state), elapsed(run.submittedAt, null, terminal.now())];
  if (run.tasks.length > 1) parts.push(`${ended} of ${run.tasks.length} tasks`);
  if (running !== undefined && running.progress !== null) parts.push(percent(running.progress));
  if (again !== undefined) parts.push(`tries again ${relative(again.runAt, terminal.now())}`);
  return parts.join('  ');
}
