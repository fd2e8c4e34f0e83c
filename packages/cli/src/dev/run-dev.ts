import { flushCompileCache } from 'node:module';
import { createServer } from 'node:net';
import { resolve as resolvePath } from 'node:path';
import type { RunningNode } from '@signalbox/node';
import { type Logger, makeLog } from '@signalbox/node/log';
import { loadDefinitionSchemas } from '@signalbox/node/operations';
import type { Settings } from '@signalbox/node/settings';
import { startWorkerTracing, type WorkerTracing } from '@signalbox/node/tracing';
import type { Checked, Job, JobDefinition } from '@signalbox/protocol';
import { type Executor, inProcessTransport, Worker } from '@signalbox/worker';
import type { App } from '../app.ts';
import { AnsweredError, Api } from '../client/api.ts';
import { pathOf } from '../client/path-of.ts';
import { keyPath, makeFolder, removeDevState, writeDevState } from '../data-folder/data-folder.ts';
import { lockFolder } from '../data-folder/lock-folder.ts';
import { logWorkerEvent } from '../processes/log-worker-event.ts';
import { openNode, requirePrivateListener } from '../processes/open-node.ts';
import { stopTracing } from '../processes/stop-tracing.ts';
import { untilStopped } from '../processes/until-stopped.ts';
import { executorsOf, handlersOf, loadJobs } from '../processes/worker-parts.ts';
import { UserError } from '../user-error.ts';
import { DEV_DEFAULTS } from './defaults.ts';
import { defineExamples, firstRun } from './define-examples.ts';
import { devKey } from './dev-key.ts';
import { EXAMPLE_JOBS } from './example-jobs.ts';
import { printWelcome } from './welcome.ts';

/** `signalbox dev`: a node and a worker in one process on a file; no question asked. */
export async function runDev(app: App, settings: Settings, umask: number): Promise<void> {
  const { terminal } = app;
  const { values } = settings;
  requirePrivateListener(settings);
  const folder = resolvePath(app.cwd, values.data);
  makeFolder(folder);
  const unlock = lockFolder(folder, values.jobs ?? []);
  const keyFile = values.key === null ? keyPath(folder) : null;
  const key = values.key ?? devKey(folder);
  const jobs = loadJobs(app, settings);
  const log = devLog(settings);
  const executors = await executorsOf(settings, { cwd: app.cwd, log, umask });
  const tracing = await startWorkerTracing(process.env, values.name ?? 'dev');
  const node = await openDevNode({ app, settings, key, log });
  const url = node.url ?? '';
  const api = new Api({ url, key, tenant: null });
  const { worker, isNew } = await fill({
    app,
    node,
    api,
    settings,
    jobs,
    executors,
    tracing,
  }).catch(async (error) => {
    // Stop properly: a lease that is not released delays the next start.
    await node.stop();
    throw error;
  });
  writeDevState(folder, { url, pid: process.pid });
  const stopped = untilStopped(terminal, async () => {
    removeDevState(folder);
    await worker.stop({ graceMs: values['grace-period'] });
    await stopTracing(log, tracing);
    await node.stop();
    unlock();
    terminal.note('stopped; the next start resumes the remaining work');
  });
  printWelcome({ app, url, folder: values.data, keyFile });
  if (isNew) await firstRun(node.context, app);
  // The first request would wait for it.
  await loadDefinitionSchemas();
  // Now rather than at the end: the end may be a kill, and the next start had better be fast.
  flushCompileCache();
  await stopped;
}

/** Attaches the worker and defines the jobs. */
async function fill(params: {
  app: App;
  node: RunningNode;
  api: Api;
  settings: Settings;
  jobs: ReturnType<typeof loadJobs>;
  executors: readonly Executor[];
  tracing: WorkerTracing;
}): Promise<{ worker: Worker; isNew: boolean }> {
  const { node, api, settings, jobs } = params;
  const worker = await startWorker(params);
  await node.ready();
  await checkJobs(params);
  const isNew = await defineExamples(node.context, settings.values['allow-command']);
  for (const { name, definition } of jobs) {
    await api.put<Job>(pathOf('jobs', name), definition);
  }
  return { worker, isNew };
}

/** All of them before any is defined: a module of which a part is defined runs with the other part as it was. */
async function checkJobs(params: {
  app: App;
  api: Api;
  jobs: ReturnType<typeof loadJobs>;
}): Promise<void> {
  const { app, api, jobs } = params;
  for (const { name, definition, file } of jobs) {
    try {
      const path = `${pathOf('jobs', name)}/check`;
      const { warnings = [] } = await api.post<Checked<JobDefinition>>(path, definition);
      for (const { field, message } of warnings) {
        app.terminal.note(`warning: ${file}: job ${name}: ${field} ${message}`);
      }
    } catch (error) {
      if (!(error instanceof AnsweredError)) throw error;
      const message = `${file}: the job ${JSON.stringify(name)} was refused: ${error.message}`;
      throw new UserError('usage', message, 'no job was saved; correct the file and start again');
    }
  }
}

function devLog({ values, isGiven }: Settings): Logger {
  return makeLog({
    level: isGiven('log-level') ? values['log-level'] : DEV_DEFAULTS['log-level'],
    format: isGiven('log-format') ? values['log-format'] : DEV_DEFAULTS['log-format'],
  });
}

/** The default port may be in use; a port that is given must be free. */
async function openDevNode(params: { app: App; settings: Settings; key: string; log: Logger }) {
  const { values, isGiven } = params.settings;
  const isFree = await isPortFree(values.host, values.port);
  if (!isFree && !isGiven('port')) {
    params.app.terminal.note(`port ${values.port} is taken: another one is used`);
    return openNode({ ...params, port: 0 });
  }
  return openNode({ ...params, port: values.port });
}

function isPortFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

async function startWorker(params: {
  node: RunningNode;
  settings: Settings;
  jobs: ReturnType<typeof loadJobs>;
  executors: readonly Executor[];
  tracing: WorkerTracing;
}): Promise<Worker> {
  const { node, jobs, executors, tracing } = params;
  const { values } = params.settings;
  const examples = Object.fromEntries(EXAMPLE_JOBS.map(({ name, handler }) => [name, handler]));
  const worker = new Worker({
    transport: inProcessTransport({ open: (peer) => node.gateway.open(peer) }),
    name: values.name ?? 'dev',
    zone: values.zone,
    labels: values.labels,
    total: { slots: values.concurrency },
    handlers: { ...examples, ...handlersOf(jobs) },
    executors,
    ...(tracing.spans === undefined ? {} : { spans: tracing.spans }),
    blobs: node.context.blobs,
    // Nothing else on this terminal says that a handler failed; the node logs it below the level shown here.
    onEvent: (event) => {
      if (event.kind === 'failed') logWorkerEvent(node.context.log, event);
    },
  });
  await worker.start();
  return worker;
}
