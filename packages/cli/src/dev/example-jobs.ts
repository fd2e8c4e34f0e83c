import { setTimeout as pause } from 'node:timers/promises';
import type { JobDefinition } from '@signalbox/protocol';
import type { HandlerContext } from '@signalbox/worker';

export interface ExampleJob {
  readonly name: string;
  readonly definition: JobDefinition;
  readonly handler: (input: never, context: HandlerContext) => unknown;
}

const STEPS = 10;
const STEP_MS = 500;

/** What `signalbox dev` has to offer before anybody has defined a job. */
export const EXAMPLE_JOBS: readonly ExampleJob[] = [
  {
    name: 'hello',
    definition: { description: 'Greets by name.' },
    handler: hello,
  },
  {
    name: 'flaky',
    definition: {
      description: 'Fails twice, then succeeds.',
      tasks: [{ retry: { maxAttempts: 5, backoff: { type: 'fixed', delay: 300 } } }],
    },
    handler: flaky,
  },
  {
    name: 'slow',
    definition: { description: 'Takes five seconds, tells its progress, can be cancelled.' },
    handler: slow,
  },
];

/** Only where the worker runs commands. */
export const EXAMPLE_COMMAND = {
  name: 'command',
  definition: {
    description: 'Runs a child process.',
    tasks: [{ command: { argv: ['node', '--version'] } }],
  } satisfies JobDefinition,
} as const;

function hello(input: { name?: unknown } | string | undefined, { log }: HandlerContext): string {
  const name = typeof input === 'object' && input !== null ? input.name : input;
  log.info(`greeting ${String(name ?? 'world')}`);
  return `hello, ${String(name ?? 'world')}`;
}

function flaky(_input: unknown, { attempt, log }: HandlerContext): { attempts: number } {
  log.info(`attempt ${attempt}`);
  if (attempt < 3) throw new Error(`attempt ${attempt} fails on purpose`);
  return { attempts: attempt };
}

async function slow(_input: unknown, { log, progress, signal }: HandlerContext): Promise<string> {
  for (let step = 1; step <= STEPS; step++) {
    await pause(STEP_MS, undefined, { signal });
    progress(step / STEPS);
    log.info(`step ${step} of ${STEPS}`);
  }
  return 'done';
}
