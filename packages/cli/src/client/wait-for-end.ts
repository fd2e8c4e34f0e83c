import type { RunView } from '@signalbox/protocol';
import type { Call } from '../commands/define.ts';
import type { ExitName } from '../exit-codes.ts';
import { printJson, printValue } from '../print/json.ts';
import { firstLine, isEnded, progressLine } from '../print/run-view.ts';

/** Shorter on a terminal, where each answer moves the progress line. */
const LOOK_MS = 1_000;
const QUIET_MS = 30_000;

/** Waits for the end of the run, shows how it goes, prints what came out. */
export async function waitForEnd(
  { api, terminal, json }: Call,
  { id, waitMs }: { id: string; waitMs: number },
): Promise<ExitName> {
  const until = terminal.now() + waitMs;
  const stepMs = terminal.isTty ? LOOK_MS : QUIET_MS;
  const interrupted = () => {
    terminal.note(`the run goes on: signalbox runs show ${id}`);
    process.exit(130);
  };
  process.once('SIGINT', interrupted);
  try {
    for (;;) {
      const left = Math.max(0, until - terminal.now());
      const run = await api.get<RunView>(`/runs/${id}`, { waitMs: Math.min(stepMs, left) });
      if (isEnded(run.state)) {
        terminal.transient('');
        if (json) printJson(terminal, run);
        else await printEnd({ api, terminal }, run);
        return run.state === 'SUCCEEDED' ? 'ok' : 'runFailed';
      }
      terminal.transient(progressLine(terminal, run));
      if (left === 0) {
        terminal.transient('');
        if (json) printJson(terminal, run);
        terminal.note(`the run is ${run.state} and goes on: signalbox runs show ${id}`);
        return 'waitOver';
      }
    }
  } finally {
    process.off('SIGINT', interrupted);
  }
}

async function printEnd(
  { api, terminal }: Pick<Call, 'api' | 'terminal'>,
  run: RunView,
): Promise<void> {
  if (run.output !== undefined) printValue(terminal, run.output);
  else if (run.state === 'SUCCEEDED') {
    terminal.write(new TextDecoder().decode(await api.bytes(`/runs/${run.id}/output`)));
  }
  terminal.note(`${terminal.paint.state(run.state)}  ${terminal.paint.dim(run.id)}`);
  if (run.state === 'SUCCEEDED') return;
  for (const task of run.tasks) {
    if (task.error !== null) terminal.note(`  ${task.name}: ${firstLine(task.error)}`);
  }
}
