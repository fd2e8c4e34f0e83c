/** Bodies that a job definition or a submission must refuse, and the field that is to be named. */
export interface BadBody {
  readonly path: string;
  readonly body: unknown;
  readonly field: string;
}

const job = (definition: unknown, name: unknown = 'nightly') => ({ name, definition });
const task = (fields: object) => job({ tasks: [{ name: 'a', ...fields }] });

export const BAD_BODIES: readonly BadBody[] = [
  { path: '/jobs', body: {}, field: 'name' },
  { path: '/jobs', body: job(5), field: 'definition' },
  { path: '/jobs', body: [], field: 'body' },
  { path: '/jobs', body: 'text', field: 'body' },
  { path: '/jobs', body: job({}, 5), field: 'name' },
  { path: '/jobs', body: job({}, ''), field: 'name' },
  { path: '/jobs', body: job({ priority: 'P3' }), field: 'definition.priority' },
  { path: '/jobs', body: job({ priority: 0 }), field: 'definition.priority' },
  { path: '/jobs', body: job({ klass: 'P0' }), field: 'definition.klass' },
  { path: '/jobs', body: job({ priority: 11 }), field: 'definition.priority' },
  { path: '/jobs', body: job({ tasks: [] }), field: 'definition.tasks' },
  { path: '/jobs', body: job({ tasks: {} }), field: 'definition.tasks' },
  { path: '/jobs', body: task({ name: 'a:b' }), field: 'definition.tasks[0].name' },
  {
    path: '/jobs',
    body: task({ retry: { maxAttempts: 0 } }),
    field: 'definition.tasks[0].retry.maxAttempts',
  },
  {
    path: '/jobs',
    body: task({ retry: { maxAttempts: '3' } }),
    field: 'definition.tasks[0].retry.maxAttempts',
  },
  {
    path: '/jobs',
    body: task({ timeout: -1 }),
    field: 'definition.tasks[0].timeout',
  },
  {
    path: '/jobs',
    body: task({ resources: { cpuMilli: 1.5 } }),
    field: 'definition.tasks[0].resources.cpuMilli',
  },
  {
    path: '/jobs',
    body: task({ command: { argv: [] } }),
    field: 'definition.tasks[0].command.argv',
  },
  {
    path: '/jobs',
    body: task({ command: 'rm -rf /' }),
    field: 'definition.tasks[0].command',
  },
  {
    path: '/jobs',
    body: task({ retry: { backoff: { type: 'fixed', delay: 'soon' } } }),
    field: 'definition.tasks[0].retry.backoff.delay',
  },
  {
    path: '/jobs',
    body: task({ retry: { backoff: { type: 'linear', delay: 1 } } }),
    field: 'definition.tasks[0].retry.backoff.type',
  },
  {
    path: '/jobs',
    body: task({ retry: { backoff: ['1s', 'soon'] } }),
    field: 'definition.tasks[0].retry.backoff[1]',
  },
  { path: '/runs', body: {}, field: 'job' },
  { path: '/runs', body: { job: 'nightly', priority: 'urgent' }, field: 'priority' },
  { path: '/runs', body: { job: 'nightly', idempotencyKey: '' }, field: 'idempotencyKey' },
  { path: '/runs', body: { job: 'nightly', delay: -5 }, field: 'delay' },
  { path: '/runs', body: { job: 'nightly', delay: '5 minutes' }, field: 'delay' },
  { path: '/runs', body: { job: 'nightly', runAt: 'tomorrow' }, field: 'runAt' },
  { path: '/runs', body: { job: 'nightly', importance: 1 }, field: 'importance' },
  { path: '/runs/batch', body: { items: [] }, field: 'items' },
  { path: '/runs/batch', body: { items: [{ job: 'nightly' }, {}] }, field: 'items[1].job' },
];
