import { ApiError, type Caller, type NodeContext } from '@signalbox/node/context';
import { defineJob, getRun, submitRuns } from '@signalbox/node/operations';
import type { JobDefinition } from '@signalbox/protocol';
import type { App } from '../app.ts';
import { span } from '../print/times.ts';
import { EXAMPLE_COMMAND, EXAMPLE_JOBS } from './example-jobs.ts';

const FIRST_RUN_MS = 10_000;

/**
 * As with the key of the folder, so that `last` is the first run. Without HTTP, because the schemas that
 * check requests take a tenth of a second to load, which the start would wait for.
 */
const ROOT: Caller = {
  key: 'root',
  tenant: 'default',
  role: 'admin',
  platform: true,
  ip: '',
  requestId: '',
};

/**
 * Defines only the examples that do not exist: an example that the user has changed stays as it is.
 * Returns whether any was missing, as on the first start.
 */
export async function defineExamples(context: NodeContext, hasCommand: boolean): Promise<boolean> {
  let isNew = false;
  const examples: readonly { name: string; definition: JobDefinition }[] = hasCommand
    ? [...EXAMPLE_JOBS, EXAMPLE_COMMAND]
    : EXAMPLE_JOBS;
  for (const { name, definition } of examples) {
    try {
      const expected = { absent: true };
      await defineJob(context, ROOT, { name, definition, expected, isShapeKnown: true });
      isNew = true;
    } catch (error) {
      const isThere = error instanceof ApiError && error.code === 'precondition_failed';
      if (!isThere) throw error;
    }
  }
  return isNew;
}

/** Shows that it works, once: from one command to a finished job. */
export async function firstRun(context: NodeContext, { terminal }: App): Promise<void> {
  const startedAt = performance.now();
  const items = [{ job: 'hello', inputJson: '"world"' }];
  const [{ id } = { id: '' }] = await submitRuns(context, ROOT, { items });
  const run = await getRun(context, ROOT, { id, waitMs: FIRST_RUN_MS });
  const took = span(performance.now() - startedAt);
  const { paint } = terminal;
  const output = run.output === undefined ? '' : `  ${JSON.stringify(run.output)}`;
  terminal.line(
    `first run of hello: ${paint.state(run.state)}${output}  ${paint.dim(`${took}, ${id}`)}`,
  );
}
