import { makeLog } from '@signalbox/node/log';
import type { Settings } from '@signalbox/node/settings';
import { startWorkerTracing } from '@signalbox/node/tracing';
import { httpBlobs, Worker, webSocketTransport } from '@signalbox/worker';
import type { App } from '../app.ts';
import { Api } from '../client/api.ts';
import { findWorkerAccess } from '../client/find-access.ts';
import { UserError } from '../user-error.ts';
import { logWorkerEvent } from './log-worker-event.ts';
import { stopTracing } from './stop-tracing.ts';
import { untilStopped } from './until-stopped.ts';
import { executorsOf, handlersOf, loadJobs, nameOf } from './worker-parts.ts';

/** Up to this many names of handlers are printed. */
const SHOWN_MAX = 20;

/** `signalbox worker`: runs attempts for nodes until it is stopped. */
export async function runWorker(app: App, settings: Settings, umask: number): Promise<void> {
  const { terminal } = app;
  const { values } = settings;
  const { urls, key } = findWorkerAccess(app, settings);
  const [first] = urls;
  const handlers = handlersOf(loadJobs(app, settings));
  const log = makeLog({
    level: values['log-level'],
    format: values['log-format'],
    fields: { worker: nameOf(settings) },
  });
  const executors = await executorsOf(settings, { cwd: app.cwd, log, umask });
  if (Object.keys(handlers).length + executors.length === 0) {
    const hint = 'give --jobs FILE.ts, --allow-command or --allow-http';
    throw new UserError('usage', 'this worker has nothing to run', hint);
  }
  const tracing = await startWorkerTracing(process.env, nameOf(settings));
  const worker = new Worker({
    transports: urls.map((url) => webSocketTransport({ url, key })),
    name: nameOf(settings),
    zone: values.zone,
    labels: values.labels,
    total: { slots: values.concurrency },
    handlers,
    executors,
    blobs: httpBlobs({ url: urls, key }),
    ...(tracing.spans === undefined ? {} : { spans: tracing.spans }),
    onEvent: (event) => logWorkerEvent(log, event),
  });
  const stopped = untilStopped(terminal, async () => {
    await worker.stop({ graceMs: values['grace-period'] });
    await stopTracing(log, tracing);
  });
  await checkKey(app, { url: first, key });
  await Promise.race([worker.start(), stopped]);
  if (worker.state !== 'stopped' && worker.state !== 'draining') {
    terminal.line(`worker ${nameOf(settings)} is attached to ${urls.join(', ')}`);
    const names = Object.keys(handlers);
    if (values.jobs !== null && names.length > 0) {
      terminal.line(terminal.typed(offer(names, values.jobs.join(' '))));
    }
  }
  await stopped;
}

/** Mentions how jobs are created, because a worker saves no definitions. */
function offer(names: readonly string[], file: string): string {
  const shown = names.slice(0, SHOWN_MAX).join(', ');
  const more = names.length > SHOWN_MAX ? ` and ${names.length - SHOWN_MAX} more` : '';
  return `it offers handlers for ${shown}${more}; jobs are defined with: signalbox apply -f ${file}`;
}

/** Fails immediately with a wrong key; waits for a node that has not started yet. */
async function checkKey(app: App, { url, key }: { url: string; key: string }): Promise<void> {
  const api = new Api({ url: url.replace(/^ws/, 'http'), key, tenant: null });
  try {
    const { role } = await api.get<{ role: string }>('/whoami');
    if (role === 'worker' || role === 'admin') return;
    throw new UserError(
      'notAllowed',
      `attaching a worker needs a key with the role worker; this key has the role ${role}`,
      HINT,
    );
  } catch (error) {
    if (!(error instanceof UserError) || error.exit === 'notAllowed') throw error;
    app.terminal.note(`waiting for a node: ${error.message}`);
  }
}

const HINT = 'create a worker key with: signalbox keys create --role worker';
