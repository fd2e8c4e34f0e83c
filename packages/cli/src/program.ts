import { Command, CommanderError } from 'commander';
import type { App } from './app.ts';
import { addApply, addDiff } from './commands/apply.ts';
import { addApprovals } from './commands/approve.ts';
import { addCalendars } from './commands/calendars.ts';
import { addCompletion } from './commands/completion.ts';
import { type Ending, exitCodeOf, type Registry } from './commands/define.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEvents } from './commands/events.ts';
import { addHold } from './commands/hold.ts';
import { addJobs } from './commands/jobs.ts';
import { addKeys } from './commands/keys.ts';
import { addLogs } from './commands/logs.ts';
import { addProcesses } from './commands/processes.ts';
import { addCancel, addRetry, addRuns, addTasks } from './commands/runs.ts';
import { addSchedules } from './commands/schedules.ts';
import { addSecrets } from './commands/secrets.ts';
import { addSignal } from './commands/signal.ts';
import { addSubmit } from './commands/submit.ts';
import { addTenants } from './commands/tenants.ts';
import { addTriggers } from './commands/triggers.ts';
import { addVersion } from './commands/version.ts';
import { addWhy } from './commands/why.ts';
import { addWorkerActions, addWorkers } from './commands/workers.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { UserError } from './user-error.ts';

/** The command with all its commands. */
export function makeProgram(app: App, ending: Ending): Command {
  const { terminal } = app;
  const program = new Command(app.command);
  program
    .description('Runs jobs: on a schedule, from events, or on request, on any number of workers.')
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .configureOutput({
      writeOut: (text) => terminal.write(terminal.typed(text)),
      writeErr: (text) => terminal.note(terminal.typed(text.trimEnd())),
      outputError: () => {},
    })
    .addHelpText(
      'after',
      '\nStart with:\n  $ signalbox dev\n  $ signalbox submit hello Ada --wait\n\n' +
        'Commands take the address and key of a node from --url and --key, from SIGNALBOX_URL and\n' +
        'SIGNALBOX_KEY, or from the data folder of `signalbox dev`: --data, by default .signalbox/.\n' +
        '`signalbox COMMAND --help` lists the options of a command, with examples.',
    );
  const registry: Registry = { app, ending };
  addProcesses(registry, program);
  addSubmit(registry, program);
  addRuns(registry, program);
  addTasks(registry, program);
  addLogs(registry, program);
  addWhy(registry, program);
  addDoctor(registry, program);
  addCancel(registry, program);
  addRetry(registry, program);
  addApprovals(registry, program);
  addSignal(registry, program);
  addHold(registry, program);
  addJobs(registry, program);
  addApply(registry, program);
  addDiff(registry, program);
  addSchedules(registry, program);
  addTriggers(registry, program);
  addEvents(registry, program);
  addCalendars(registry, program);
  addWorkers(registry, program);
  addWorkerActions(registry, program);
  addTenants(registry, program);
  addKeys(registry, program);
  addSecrets(registry, program);
  addVersion(registry, program);
  addCompletion(registry, program);
  return program;
}

/** Runs one command line and answers its exit code. */
export async function runCommand(app: App, args: readonly string[]): Promise<number> {
  const ending: Ending = { exit: 'ok' };
  try {
    await makeProgram(app, ending).parseAsync([...args], { from: 'user' });
    return exitCodeOf(ending);
  } catch (error) {
    return explain(app, error);
  }
}

function explain({ terminal, environment }: App, error: unknown): number {
  terminal.transient('');
  const { paint } = terminal;
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // Asked for nothing: the help was printed.
    if (error.code !== 'commander.help') {
      terminal.note(`${paint.red('error:')} ${error.message.replace(/^error: /, '')}`);
    }
    return EXIT_CODES.usage.code;
  }
  if (error instanceof UserError) {
    terminal.note(`${paint.red('error:')} ${error.message}`);
    if (error.hint !== undefined)
      terminal.note(`${paint.dim('hint:')}  ${terminal.typed(error.hint)}`);
    return EXIT_CODES[error.exit].code;
  }
  const isStackWanted = (environment['SIGNALBOX_DEBUG'] ?? '') !== '';
  const message = error instanceof Error ? error.message : String(error);
  terminal.note(`${paint.red('error:')} ${message}`);
  if (isStackWanted && error instanceof Error) terminal.note(error.stack ?? '');
  else
    terminal.note(
      `${paint.dim('hint:')}  this is a defect of Signalbox; run again with SIGNALBOX_DEBUG=1 to see the stack`,
    );
  return EXIT_CODES.internal.code;
}
