import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Logger } from '@signalbox/node/log';
import type { Settings } from '@signalbox/node/settings';
import type { CommandExecutorOptions, Executor, WorkerOptions } from '@signalbox/worker';
import type { App } from '../app.ts';
import { jobsOf, type LoadedJob, loadModule } from '../definitions/load-module.ts';
import { UserError } from '../user-error.ts';

type Handlers = NonNullable<WorkerOptions['handlers']>;

/** A job, and the module that exports it as it was named. */
export interface JobOfFile extends LoadedJob {
  readonly file: string;
}

/** The jobs of the modules that the settings name. */
export function loadJobs(app: App, { values }: Settings): JobOfFile[] {
  const files = values.jobs ?? [];
  return files.flatMap((file) => jobsOfFile(app, file).map((job) => ({ ...job, file })));
}

function jobsOfFile(app: App, file: string): LoadedJob[] {
  const path = resolve(app.cwd, file);
  if (/\.(?:ya?ml|json)$/i.test(path)) {
    throw new UserError(
      'usage',
      `${file} is not a module: --jobs takes a file of TypeScript or JavaScript that exports jobs`,
      `a definition without handlers is saved with: signalbox apply -f ${file}`,
    );
  }
  const jobs = jobsOf(loadModule(path));
  if (jobs.length > 0) return jobs;
  throw new UserError('usage', `${file} exports no job`, 'export the value that job(…) returns');
}

export function handlersOf(jobs: readonly LoadedJob[]): Handlers {
  const handlers = new Map<string, Handlers[string]>();
  for (const job of jobs) {
    for (const [name, handler] of job.handlers) {
      if (handlers.has(name) && handlers.get(name) !== handler) {
        throw new UserError('usage', `two jobs have a handler named ${name}`);
      }
      handlers.set(name, handler as Handlers[string]);
    }
  }
  return Object.fromEntries(handlers);
}

/** Executors beside handlers. Off by default, because they let everyone who defines jobs run commands here. */
export async function executorsOf(
  { values }: Settings,
  { cwd, log, umask }: { cwd: string; log: Logger; umask: number },
): Promise<Executor[]> {
  const executors: Executor[] = [];
  if (values['allow-command']) {
    const programs = values['command-programs'];
    const executor = await isolatedCommands(log, values['command-isolation'], {
      allow: programs.length === 0 ? true : programs,
      network: values['command-network'],
      hide: hiddenOf(cwd, values),
      umask,
    });
    executors.push(executor);
  }
  if (values['allow-http']) {
    const { httpExecutor } = await import('@signalbox/worker');
    executors.push(
      httpExecutor({
        allowHttp: values['http-plain'],
        allowPrivate: values['http-private'],
        ports: values['http-ports'],
        extraBlocked: values['http-blocked'],
      }),
    );
  }
  return executors;
}

/** The executor of commands, and a line in the log about what its commands can reach. */
async function isolatedCommands(
  log: Logger,
  wanted: Settings['values']['command-isolation'],
  options: CommandExecutorOptions,
): Promise<Executor> {
  const { commandExecutor, EXPOSED } = await import('@signalbox/worker');
  let executor: ReturnType<typeof commandExecutor>;
  try {
    executor = commandExecutor({ ...options, isolation: wanted });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const hint = 'install bubblewrap, or choose another --command-isolation';
    throw new UserError('usage', `--command-isolation ${wanted}: ${why}`, hint);
  }
  const { isolation } = executor;
  const fields = { isolation, wanted, exposed: EXPOSED[isolation] };
  if (isolation === 'none') {
    const text = 'commands are not isolated from this worker';
    log.warn({ event: 'command.not_isolated', ...fields }, text);
  } else if (wanted === 'auto' && isolation !== 'bubblewrap') {
    // `auto` never weakens in silence: the files of the machine stay writable here.
    const text = 'commands are isolated in part only; install bubblewrap';
    log.warn({ event: 'command.isolated', ...fields }, text);
  } else log.info({ event: 'command.isolated', ...fields }, 'commands are isolated');
  return executor;
}

/** Where this process, or the node of this folder, stores its data and its key. */
export function hiddenOf(
  cwd: string,
  { data, store }: Pick<Settings['values'], 'data' | 'store'>,
): string[] {
  const file = store?.startsWith('file:') ? resolve(cwd, store.slice('file:'.length)) : null;
  const files = file === null ? [] : [file, `${file}-wal`, `${file}-shm`];
  return [resolve(cwd, data), ...files];
}

/** A name that is safe everywhere, and new for each process of the machine. */
export function nameOf({ values }: Settings): string {
  if (values.name !== null) return values.name;
  const host = hostname()
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '');
  return `${host.slice(0, 100) || 'worker'}-${process.pid}`;
}
