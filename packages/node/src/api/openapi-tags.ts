/** Groups of operations, by the first word of their address. */
const TAGS = {
  Jobs: { words: ['jobs'], description: 'What can be run: versioned definitions of jobs' },
  Schedules: {
    words: ['schedules', 'schedule-preview'],
    description: 'When jobs run by themselves, and what became of each window',
  },
  Triggers: {
    words: ['triggers', 'hooks'],
    description: 'Which events start jobs, and the hooks that senders call',
  },
  Calendars: { words: ['calendars'], description: 'Closed days that schedules leave out' },
  Runs: { words: ['runs'], description: 'Submitting, reading and changing runs' },
  Tasks: { words: ['tasks'], description: 'Tasks of runs: attempts, logs and diagnosis' },
  Events: { words: ['events'], description: 'Sending events, and following what happens' },
  Payloads: {
    words: ['blobs'],
    description: 'Inputs and outputs that are too large for a message',
  },
  Workers: { words: ['workers', 'queues'], description: 'Who works, and how much waits' },
  Administration: {
    words: ['tenants', 'keys', 'webhook-secret', 'audit'],
    description: 'Tenants, keys, secrets and the audit log',
  },
  Node: {
    words: ['health', 'ready', 'whoami', 'metrics', 'openapi.json'],
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
