import type { Route } from './route.ts';

/** Where the address does not say what is done. */
const NAMED: Readonly<Record<string, string>> = {
  'POST /runs/batch': 'createRuns',
  'POST /runs/cancel': 'cancelRuns',
  'POST /runs/retry': 'retryRuns',
  'POST /runs/:id/priority': 'updateRunPriority',
  'POST /runs/:id/tasks/:task/approval': 'approveTask',
  'POST /runs/:id/tasks/:task/event': 'signalTask',
  'POST /triggers/test': 'testTrigger',
  'POST /hooks/:tenant/:trigger': 'receiveHook',
  'PUT /blobs': 'createBlob',
  'POST /doctor/forget': 'forgetDamagedRows',
  'DELETE /keys/:id': 'revokeKey',
  'POST /events': 'sendEvents',
  'GET /tasks/:id/diagnosis': 'getTaskDiagnosis',
  'GET /audit': 'listAuditEntries',
  'GET /metrics': 'getMetrics',
  'GET /openapi.json': 'getOpenApi',
  'GET /events': 'watchEvents',
  'GET /runs/:id/events': 'watchRun',
};

const VERBS = { GET: 'get', POST: 'create', PUT: 'update', DELETE: 'delete' } as const;

/**
 * What generated clients call the operation: `listJobs`, `getJob`, `updateJob`, `pauseJob`. A word behind
 * the name of a thing is what is read of it, or, with POST, what is done to it.
 */
export function operationId({ method, url }: Pick<Route, 'method' | 'url'>): string {
  const named = NAMED[`${method} ${url}`];
  if (named !== undefined) return named;
  const steps = url.split('/').slice(1);
  const isOne = steps.at(-1)?.startsWith(':') === true;
  const words = steps.filter((step) => !step.startsWith(':'));
  const last = words.at(-1) ?? '';
  const things = words.slice(0, -1).map((word) => capital(singular(word)));
  if (method === 'POST' && words.length > 1) return `${last}${things.join('')}`;
  if (method === 'GET' && !isOne) {
    return `${last.endsWith('s') ? 'list' : 'get'}${things.join('')}${capital(last)}`;
  }
  const verb = VERBS[method as keyof typeof VERBS] ?? method.toLowerCase();
  return `${verb}${things.join('')}${capital(singular(last))}`;
}

function singular(word: string): string {
  return word.replace(/s$/, '');
}

/** `schedule-preview` as `SchedulePreview`. */
function capital(word: string): string {
  return word.replaceAll(/(?:^|[-.])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
