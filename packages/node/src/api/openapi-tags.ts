/** Groups of operations, by the first word of their address. */
const TAGS = {
  Jobs: { words: ['jobs'], description: 'Versioned job definitions' },
  Schedules: {
    words: ['schedules', 'schedule-preview'],
    description: 'Schedules that run jobs, and the outcome of each window',
  },
  Triggers: {
    words: ['triggers', 'hooks'],
    description: 'Triggers that start jobs on events, and the hooks that senders call',
  },
  Calendars: { words: ['calendars'], description: 'Closed days on which schedules do not run' },
  Runs: { words: ['runs'], description: 'Submit, read and change runs' },
  Tasks: { words: ['tasks'], description: 'Tasks of runs: attempts, logs and diagnosis' },
  Events: { words: ['events'], description: 'Send events, and stream what happens' },
  Payloads: {
    words: ['blobs'],
    description: 'Inputs and outputs that are too large to be inline',
  },
  Workers: { words: ['workers', 'queues'], description: 'Attached workers, and queue depths' },
  Administration: {
    words: ['tenants', 'keys', 'secrets', 'webhook-secret', 'audit'],
    description: 'Tenants, keys, secrets and the audit log',
  },
  Node: {
    words: ['health', 'ready', 'whoami', 'doctor', 'metrics', 'openapi.json'],
    description: 'The node itself: health, metrics and this description',
  },
} as const;

export const OPENAPI_TAGS: readonly { readonly name: string; readonly description: string }[] =
  Object.entries(TAGS).map(([name, { description }]) => ({ name, description }));

/** Throws for an address that belongs to no group: one that nobody would find in the description. */
export function openApiTagOf(url: string): string {
  const word = url.split('/')[1] ?? '';
  for (const [name, { words }] of Object.entries(TAGS)) {
    if ((words as readonly string[]).includes(word)) return name;
  }
  throw new Error(`no group of the API has addresses that begin with /${word}`);
}
