import { setTimeout } from 'node:timers/promises';
import { formatRunId, isTerminalRun, type RunId } from '@signalbox/engine';
import type { RunView } from '@signalbox/protocol';
import { ApiError, type NodeContext } from '../../context/index.ts';
import { noRun } from '../../errors/refusals.ts';
import {
  type RunView as EngineView,
  readRun,
  type TaskSelection,
  viewOfStored,
} from '../../loop/index.ts';
import { REPLICA_AGE_MS } from '../../replica/partition-replicas.ts';
import { readReplica } from '../../replica/read-replica.ts';
import { operation } from '../common/operation.ts';
import { findRun } from './find-run.ts';
import { FIRST_TASKS, showInboxEntry, showRun } from './run-view.ts';

/** A caller waits this long at most; then it asks again. */
export const WAIT_MAX_MS = 60_000;
const INBOX_LOOK_MS = 200;

/** One run with its tasks. With `waitMs` it returns when the run has ended or the time has passed. */
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
    const read = () => readAnywhere(context, { tenant, id, select: FIRST_TASKS });
    let view = await read();
    if (!isTerminalRun(view.state) && performance.now() < until) {
      await endOf(context, { tenant, id, until, read });
      view = await read();
    }
    return showRun(context, view);
  },
);

/** Resolves when the run has ended, or the time is over. */
async function endOf(
  context: NodeContext,
  of: { tenant: string; id: RunId; until: number; read: () => Promise<EngineView> },
): Promise<void> {
  const { tenant, id: run, until, read } = of;
  while (performance.now() < until) {
    const timeoutMs = until - performance.now();
    if (context.loop.owns(run.partition)) {
      const ended = context.feed.ended({ tenant, run, timeoutMs });
      // It may have ended between the look and the wait.
      if (isTerminalRun((await read()).state)) return;
      await ended;
    } else {
      // Nothing tells this node of another's run: it is looked at again.
      await setTimeout(Math.min(REPLICA_AGE_MS, timeoutMs));
    }
    // Also woken when the partition is lost: the run then ends elsewhere.
    if (isTerminalRun((await read()).state)) return;
  }
}

interface Question {
  readonly tenant: string;
  readonly id: RunId;
  readonly select: TaskSelection;
}

/**
 * Durable state only: a live run from the memory of its owner, an ended run from the store. For callers that go on to
 * change the run: a node that does not own a live run refuses.
 */
export async function readView(
  context: NodeContext,
  tenant: string,
  id: RunId,
): Promise<EngineView> {
  const { loop, store } = context;
  const view = await readRun({ loop, store, tenant, id, select: FIRST_TASKS });
  if (view === null) throw noRun(formatRunId(id));
  if (view !== 'not_owner') return view;
  const stored = await store.getRun({ tenant, id });
  if (stored === null) throw noRun(formatRunId(id));
  if (stored.end !== null) return viewOfStored(stored, FIRST_TASKS);
  throw notOwner();
}

export function notOwner(): ApiError {
  return new ApiError('not_owner', 'this node does not own the run; retry', {
    retryAfterSeconds: 1,
  });
}

/** Like `readView`, for readers only: a node that does not own the run reads it from the journal (DAG-24). */
export async function readAnywhere(context: NodeContext, of: Question): Promise<EngineView> {
  const { loop, store } = context;
  const own = await readRun({ loop, store, ...of });
  const view = own === 'not_owner' ? await readReplica({ loop, store, ...of }) : own;
  if (view === null) throw noRun(formatRunId(of.id));
  return view;
}
