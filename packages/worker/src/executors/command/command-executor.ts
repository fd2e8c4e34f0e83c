import { tmpdir } from 'node:os';
import { COMMAND_ISOLATED, type WireCommandWork } from '@signalbox/protocol/link';
import type { AttemptContext, Executor, Result } from '../../executor.ts';
import { makeAttemptFolder, removeAttemptFolder } from './attempt-folder.ts';
import { bubblewrapWall } from './bubblewrap.ts';
import { CommandFailure } from './command-failure.ts';
import {
  type CommandExecutorOptions,
  LOG_BYTES_MAX,
  LOG_BYTES_PER_SECOND,
  MEMORY_POLL_MS,
  OUTPUT_BYTES_MAX,
} from './command-options.ts';
import { environmentOf } from './environment.ts';
import { chooseIsolation, type Isolation } from './isolation.ts';
import { LogBudget } from './log-budget.ts';
import { namespacesWall } from './namespaces.ts';
import { findProgram } from './program.ts';
import { runCommand } from './running-command.ts';
import type { Wall, WallParams } from './wall.ts';

export interface CommandExecutor extends Executor {
  /** What keeps a command from the rest of the machine. */
  readonly isolation: Isolation;
  /** How `memoryMb` is kept: by looking at the memory of the processes. */
  readonly memoryLimit: 'polled';
}

/** Runs a program with a list of arguments, never a shell line. */
export function commandExecutor(options: CommandExecutorOptions): CommandExecutor {
  const isolation = chooseIsolation(options.isolation);
  return {
    name: 'command',
    ...(isolation === 'none' ? {} : { alsoOffers: [COMMAND_ISOLATED] }),
    isolation,
    memoryLimit: 'polled',
    run: (attempt) => run(attempt, options, isolation),
  };
}

async function run(
  attempt: AttemptContext,
  options: CommandExecutorOptions,
  isolation: Isolation,
): Promise<Result> {
  if (attempt.signal.aborted) return { kind: 'stopped', output: null };
  const work = attempt.assign.work?.['command'] as WireCommandWork | undefined;
  const folder = await makeAttemptFolder(options.folder ?? tmpdir());
  try {
    if (work === undefined) throw new CommandFailure('invalid: the task has no command');
    return await runIn(folder, { attempt, work, options, isolation });
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return { kind: 'failed', error: error.message, class: 'permanent', output: null };
  } finally {
    if (!(await removeAttemptFolder(folder))) {
      attempt.log('log', 'the folder of the attempt could not be deleted');
    }
  }
}

async function runIn(
  folder: string,
  params: {
    readonly attempt: AttemptContext;
    readonly work: WireCommandWork;
    readonly options: CommandExecutorOptions;
    readonly isolation: Isolation;
  },
): Promise<Result> {
  const { attempt, work, options, isolation } = params;
  const { allow } = options;
  const path = options.path ?? process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
  const [name = '', ...args] = work.argv;
  const program = await findProgram(name, { allow, path });
  const { assign } = attempt;
  const env = environmentOf({ assign, env: work.env ?? {}, allow, path, folder });
  const isIsolated = isolation !== 'none';
  if (work.isolated === true && !isIsolated) {
    throw new CommandFailure('isolation_unavailable: this worker cannot isolate commands');
  }
  const wall = await wallOf(isolation, {
    program,
    args,
    env,
    path,
    folder,
    folderRoot: options.folder ?? tmpdir(),
    network: options.network === true,
    hide: options.hide ?? [],
  });
  return runCommand({
    attempt,
    ...wall,
    folder,
    umask: options.umask ?? null,
    input: work.stdin === 'input' ? (attempt.input ?? new Uint8Array()) : null,
    memoryMb: memoryLimit(work, attempt),
    memoryPollMs: options.memoryPollMs ?? MEMORY_POLL_MS,
    outputBytesMax: options.outputBytesMax ?? OUTPUT_BYTES_MAX,
    budget: new LogBudget({
      bytesMax: options.logBytesMax ?? LOG_BYTES_MAX,
      bytesPerSecond: options.logBytesPerSecond ?? LOG_BYTES_PER_SECOND,
      now: () => performance.now(),
      note: (text) => attempt.log('log', text),
    }),
    isIsolated,
  });
}

async function wallOf(isolation: Isolation, params: Omit<WallParams, 'builder'>): Promise<Wall> {
  const { program, args, env, path } = params;
  switch (isolation) {
    case 'bubblewrap':
      return bubblewrapWall({
        ...params,
        builder: await findProgram('bwrap', { allow: true, path }),
      });
    case 'namespaces':
      return namespacesWall({
        ...params,
        builder: await findProgram('unshare', { allow: true, path }),
      });
    case 'none':
      return { file: program, args, env, settings: null };
  }
}

/**
 * The larger of the command's limit and the requested memory: a task that ran out of memory is retried with a
 * larger request, and would fail again with the old limit.
 */
function memoryLimit(work: WireCommandWork, attempt: AttemptContext): number | undefined {
  const memoryMb = Math.max(work.memoryMb ?? 0, attempt.assign.request.memoryMb);
  return memoryMb === 0 ? undefined : memoryMb;
}
