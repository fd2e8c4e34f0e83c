const retry = { maxAttempts: 6, backoff: { type: 'fixed', delay: 150 } };
/** How long a cancelled attempt may still succeed. */
export const GRACE_MS = 1_000;
const task = { name: 'main', handler: 'work', retry, gracePeriod: GRACE_MS };

/** Definitions that the test submits: job → body of PUT /jobs/{job}. */
export const JOBS: Readonly<Record<string, object>> = {
  ...Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`plain-${i}`, { tasks: [task] }])),
  alone: { overlap: 'skip', tasks: [task] },
  second: { overlap: 'skip', tasks: [task] },
  chain: {
    failurePolicy: 'CONTINUE',
    tasks: [task, { ...task, name: 'then', after: ['main'] }],
  },
  nested: {
    failurePolicy: 'CONTINUE',
    tasks: [task, { name: 'inner', after: ['main'], run: { job: 'plain-0' } }],
  },
  windows: { tasks: [task] },
};

/** Jobs of which a second live run is answered with the first. */
export const EXCLUSIVE: ReadonlySet<string> = new Set(['alone', 'second']);

export const SUBMITTED = Object.keys(JOBS).filter((job) => job !== 'windows');
