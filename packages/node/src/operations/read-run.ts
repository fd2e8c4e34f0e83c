import { setTimeout } from 'node:timers/promises';
import { formatRunId, isTerminalRun, type RunId } from '@signalbox/engine';
import type { RunView } from '@signalbox/protocol';
import { ApiError, type NodeContext } from '../context.ts';
import { type RunView as EngineView, readRun, viewOfStored } from '../loop/index.ts';
import { findRun } from './find-run.ts';
import { operation } from './operation.ts';
import { noRun } from './refusals.ts';
import { showInboxEntry, showRun } from './run-view.ts';

/** A caller waits this long at most; then it asks again. */
export const WAIT_MAX_MS = 60_000;
const INBOX_LOOK_MS = 200;

/** One run with its tasks. With `waitMs` it answers when the run has ended or the time is over. */
export const getRun = operation(
  async (context, caller, params: { id: string; waitMs?: number }): Promise<RunView> => {
    const { tenant } = caller;
    const waitMs = Math.min(params.waitMs ?? 0, WAIT_MAX_MS);
    const until = performance.now() + waitMs;
    let found = await findRun(context, tenant, params.id);
    // Nothing tells this node when another takes an entry in, so here it is looked at again.
    while (found.kind === 'inbox' && performance.now() < until) {
      await setTimeout(Math.min(INBOX_LOOK_MS, until - performance.now()));
      found = await findRun(context, tenant, params.id);
    }
    if (found.kind === 'inbox') return showInboxEntry(found.entry);
    const { id } = found;
    let view = await readView(context, tenant, id);
    const timeoutMs = until - performance.now();
    if (timeoutMs > 0 && !isTerminalRun(view.state)) {
      const ended = context.feed.ended({ tenant, run: id, timeoutMs });
      // It may have ended between the look and the wait.
      view = await readView(context, tenant, id);
      if (!isTerminalRun(view.state)) {
        await ended;
        view = await readView(context, tenant, id);
      }
    }
    return firstTasks(await showRun(context, view));
  },
);

/** One answer carries this many tasks at most; the rest comes in pages. */
export const TASKS_SHOWN_MAX = 1_000;

function firstTasks(run: RunView): RunView {
  if (run.tasks.length <= TASKS_SHOWN_MAX) return run;
  const tasks = run.tasks.slice(0, TASKS_SHOWN_MAX);
  return { ...run, tasks, nextTasks: String(TASKS_SHOWN_MAX) };
}

/** From the owner's memory while it lives, from the store when it has ended; only what is durable. */
export async function readView(
  context: NodeContext,
  tenant: string,
  id: RunId,
): Promise<EngineView> {
  const { loop, store } = context;
  const view = await readRun({ loop, store, tenant, id });
  if (view === null) throw noRun(formatRunId(id));
  if (view !== 'not_owner') return view;
  const stored = await store.getRun({ tenant, id });
  if (stored === null) throw noRun(formatRunId(id));
  if (stored.end !== null) return viewOfStored(stored);
  throw new ApiError('not_owner', 'another node holds this run, or none does yet', {
    retryAfterSeconds: 1,
  });
}
