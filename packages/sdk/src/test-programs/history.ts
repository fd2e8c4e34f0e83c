import type { RunView } from '../index.ts';

const RUN_ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The part of a run that does not depend on clocks, ids and the name of the caller. */
export function historyOf(view: RunView, result: unknown) {
  const { job, jobVersion, state, priority, window, nestedIn, paused, output } = view;
  return {
    ...{ job, jobVersion, state, priority, paused, output, result },
    trigger: [view.trigger?.['kind'], view.trigger?.['of']],
    window: window && [window.schedule, window.catchUp, window.backfill],
    nestedIn: nestedIn?.task,
    hasEnded: view.endedAt !== null,
    tasks: view.tasks.map((task) => ({
      ...{ name: task.name, state: task.state, reason: task.reason, after: task.after },
      error: task.error?.replace(RUN_ID, 'ID'),
      attempts: task.attempts.map(({ number, outcome }) => ({ number, outcome })),
      hasWaited: task.wait && task.wait.until !== null,
      hasNestedRun: task.nestedRun !== undefined,
    })),
  };
}

/** The result, or the name and message of the error, without the id of the run. */
export async function resultOf(result: () => Promise<unknown>): Promise<unknown> {
  try {
    return await result();
  } catch (error) {
    const { name, message } = error as Error;
    return { name, message: message.replace(RUN_ID, 'ID') };
  }
}
