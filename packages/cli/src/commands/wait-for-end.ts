import { type Diagnosis, isEnded, type RunView } from '@signalbox/protocol';
import { pathOf } from '../client/path-of.ts';
import type { ExitName } from '../exit-codes.ts';
import { printData, printJson, printValue } from '../print/json.ts';
import { progressLine } from '../print/run-view.ts';
import { firstLine } from '../print/task-notes.ts';
import type { Call } from './define.ts';

/** Shorter on a terminal, where each response updates the progress line. */
const LOOK_MS = 1_000;
const QUIET_MS = 30_000;
/** After this time a run that has not started is explained once. */
const EXPLAIN_MS = 3_000;

/** Waits for the end of the run, shows its progress, and prints its output. */
export async function waitForEnd(
  { api, terminal, json }: Call,
  { id, waitMs }: { id: string; waitMs: number },
): Promise<ExitName> {
  const startedAt = terminal.now();
  const until = startedAt + waitMs;
  let isExplained = json;
  const stepMs = terminal.isTty ? LOOK_MS : QUIET_MS;
  const interrupted = () => {
    terminal.note(terminal.typed(`the run goes on: signalbox runs show ${id}`));
    process.exit(130);
  };
  process.once('SIGINT', interrupted);
  try {
    for (;;) {
      const left = Math.max(0, until - terminal.now());
      const lookMs = isExplained ? stepMs : Math.min(stepMs, EXPLAIN_MS);
      const run = await api.get<RunView>(`/runs/${id}`, { wait: Math.min(lookMs, left) });
      if (isEnded(run.state)) {
        terminal.transient('');
        if (json) printJson(terminal, run);
        else await printEnd({ api, terminal }, run);
        return run.state === 'SUCCEEDED' ? 'ok' : 'no';
      }
      if (!isExplained && terminal.now() - startedAt >= EXPLAIN_MS) {
        isExplained = true;
        await explain({ api, terminal }, run);
      }
      terminal.transient(progressLine(terminal, run));
      if (left === 0) {
        terminal.transient('');
        if (json) printJson(terminal, run);
        const hint = terminal.typed(`signalbox why ${id}`);
        terminal.note(`the run is ${run.state} and goes on: ${hint}`);
        return 'waitOver';
      }
    }
  } finally {
    process.off('SIGINT', interrupted);
  }
}

/** Explains why a run waits, unless one of its tasks is running. */
async function explain(
  { api, terminal }: Pick<Call, 'api' | 'terminal'>,
  run: RunView,
): Promise<void> {
  const waiting = run.tasks.find(({ state }) => state === 'QUEUED' || state === 'PENDING');
  const isWorkedOn = run.tasks.some(({ state }) => state === 'RUNNING' || state === 'ASSIGNED');
  if (waiting === undefined || isWorkedOn) return;
  const path = `${pathOf('tasks', waiting.id)}/diagnosis`;
  const { detail, suggestion } = await api.get<Diagnosis>(path);
  terminal.transient('');
  terminal.note(`waiting: ${detail}`);
  if (suggestion !== '') terminal.note(`  → ${terminal.typed(suggestion)}`);
}

async function printEnd(
  { api, terminal }: Pick<Call, 'api' | 'terminal'>,
  run: RunView,
): Promise<void> {
  if (run.output !== undefined) printValue(terminal, run.output);
  else if (run.state === 'SUCCEEDED') {
    printOutput(terminal, new TextDecoder().decode(await api.bytes(`/runs/${run.id}/output`)));
  }
  terminal.note(`${terminal.paint.state(run.state)}  ${terminal.paint.dim(run.id)}`);
  if (run.state === 'SUCCEEDED') return;
  for (const task of run.tasks) {
    if (task.error !== null) terminal.note(`  ${task.name}: ${firstLine(task.error)}`);
  }
}

/** Prints an output that is not part of the view of the run, because it is large or not JSON. */
export function printOutput(terminal: Call['terminal'], text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    printData(terminal, text);
    return;
  }
  printValue(terminal, value);
}
