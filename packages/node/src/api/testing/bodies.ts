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
    body: task({ retry: { attemptsMax: 0 } }),
    field: 'definition.tasks[0].retry.attemptsMax',
  },
  {
    path: '/jobs',
    body: task({ retry: { attemptsMax: '3' } }),
    field: 'definition.tasks[0].retry.attemptsMax',
  },
  {
    path: '/jobs',
    body: task({ timeouts: { hardMs: -1 } }),
    field: 'definition.tasks[0].timeouts.hardMs',
  },
  {
    path: '/jobs',
    body: task({ request: { cpuMilli: 1.5 } }),
    field: 'definition.tasks[0].request.cpuMilli',
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
  { path: '/runs', body: {}, field: 'job' },
  { path: '/runs', body: { job: 'nightly', priority: 'urgent' }, field: 'priority' },
  { path: '/runs', body: { job: 'nightly', key: '' }, field: 'key' },
  { path: '/runs', body: { job: 'nightly', delayMs: -5 }, field: 'delayMs' },
  { path: '/runs', body: { job: 'nightly', dueAt: 'tomorrow' }, field: 'dueAt' },
  { path: '/runs', body: { job: 'nightly', importance: 1 }, field: 'importance' },
  { path: '/runs/batch', body: { items: [] }, field: 'items' },
  { path: '/runs/batch', body: { items: [{ job: 'nightly' }, {}] }, field: 'items[1].job' },
];
