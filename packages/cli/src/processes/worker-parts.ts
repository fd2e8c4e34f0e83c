import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Settings } from '@signalbox/node/settings';
import type { Executor, WorkerOptions } from '@signalbox/worker';
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

/** What the worker may run beside handlers. Neither is on by itself: whoever defines jobs would be let in. */
export async function executorsOf({ values }: Settings, umask: number): Promise<Executor[]> {
  const executors: Executor[] = [];
  if (values['allow-command']) {
    const { commandExecutor } = await import('@signalbox/worker');
    const programs = values['command-programs'];
    executors.push(
      commandExecutor({
        allow: programs.length === 0 ? true : programs,
        isolation: values['command-isolation'],
        network: values['command-network'],
        umask,
      }),
    );
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

/** A name that is safe everywhere, and new for each process of the machine. */
export function nameOf({ values }: Settings): string {
  if (values.name !== null) return values.name;
  const host = hostname()
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '');
  return `${host.slice(0, 100) || 'worker'}-${process.pid}`;
}
