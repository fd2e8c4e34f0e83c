import {
  DUE_LANE,
  formatRunId,
  parseClass,
  type RunHead,
  type RunId,
  type Task,
} from '@signalbox/engine';
import { type Diagnosis, parseTaskId, type TaskState } from '@signalbox/protocol';
import type { NodeContext } from '../../context/node-context.ts';
import { dueLater } from '../../diagnose/attempt.ts';
import { diagnose } from '../../diagnose/diagnose.ts';
import { ended, endedStored } from '../../diagnose/ended.ts';
import { pausedJob } from '../../diagnose/held-by-graph.ts';
import type { Finding } from '../../diagnose/reasons.ts';
import { ALL_TASKS } from '../../loop/index.ts';
import { operation } from '../common/operation.ts';
import { jobHeads } from '../jobs/job-heads.ts';
import { findRun } from '../runs/find-run.ts';
import { notOwner, readAnywhere, readView } from '../runs/read-run.ts';
import { showRun } from '../runs/run-view.ts';
import { liveTask, noTask } from './tasks.ts';

/** Why a task is not running: the one constraint that binds, and what would lift it (API-09). */
export const diagnoseTask = operation(
  async (context, caller, params: { id: string }): Promise<Diagnosis> => {
    const { tenant } = caller;
    const named = parseTaskId(params.id);
    if (named === null) throw noTask(params.id);
    const found = await findRun(context, tenant, named.run);
    const diagnosis = (state: TaskState, finding: Finding): Diagnosis => ({
      task: params.id,
      state,
      ...finding,
      numbers: { ...finding.numbers },
    });
    const partition = found.kind === 'inbox' ? found.entry.partition : found.id.partition;
    const stopped = await stoppedPartition(context, partition);
    if (stopped !== null && found.kind === 'inbox') return diagnosis('PENDING', stopped);
    if (found.kind === 'inbox') return diagnosis('PENDING', WAITING_OWNER);
    const { id } = found;
    if (stopped !== null) {
      const stored = await context.store.getRun({ tenant, id });
      if (stored === null) throw noTask(params.id);
      if (stored.end === null) return diagnosis('PENDING', stopped);
    }
    // Waits until the state of the run in memory is durable, and refuses other tenants.
    const view = await readView(context, tenant, id);
    const { core } = context.loop.engine;
    const live = liveTask(context, { tenant, id, name: named.task });
    if (live !== null) {
      const { state } = live;
      const found = diagnose(core, live, context.loop.time.now());
      // The run may have changed since the view was read, and that may not be durable yet (I20).
      await context.loop.durable(live.run.groupNumber);
      if (!context.loop.owns(id.partition)) throw notOwner();
      return diagnosis(state, (await heldByJob(context, live, found)) ?? found);
    }
    const { job, jobVersion: version } = view;
    const spec = await context.loop.specs.load({ tenant, job, version });
    const whole = await readAnywhere(context, { tenant, id, select: ALL_TASKS });
    const { tasks } = await showRun(context, whole, ALL_TASKS);
    const task = endedStored(named.task, { run: formatRunId(id), tasks, spec });
    if (task === null) throw noTask(params.id);
    if (view.endedAtMs !== null) return diagnosis(task.state, ended(task));
    return diagnosis(
      task.state,
      parked(context, { id, tenant, head: view.head, class: view.class }),
    );
  },
);

/** A nested run that has not begun may wait for its job, which placement knows nothing of. */
async function heldByJob(
  { loop }: NodeContext,
  { run, spec, part }: Task,
  { reason }: Finding,
): Promise<Finding | null> {
  const { wait } = spec.step;
  if (reason !== 'WAITING_RUN' || wait?.kind !== 'run' || part?.nested !== null) return null;
  const head = await jobHeads(loop).newest(run.spec.tenant, wait.job);
  return head?.paused ? pausedJob(wait.job) : null;
}

/** Whichever node could not read it: every node gives the same reason. */
async function stoppedPartition(
  { loop, store }: NodeContext,
  partition: number,
): Promise<Finding | null> {
  if (loop.hasRead(partition)) return null;
  const stopped = await store.listStopped();
  if (!stopped.some((each) => each.partition === partition)) return null;
  return {
    reason: 'PARTITION_STOPPED',
    detail: `Partition ${partition}, to which the run belongs, cannot be read; other partitions continue.`,
    suggestion: 'An operator has to restore the damaged row from a backup: signalbox doctor',
    numbers: { partition },
  };
}

const WAITING_OWNER: Finding = {
  reason: 'WAITING_OWNER',
  detail: 'The submission is stored, and no node has processed it yet.',
  suggestion:
    'Check that the nodes are running: the owner of the partition processes the submission.',
  numbers: {},
};

/** A run that waits in the store: its due time is far, or its queue in memory is full. */
function parked(
  context: NodeContext,
  of: { id: RunId; tenant: string; head: RunHead; class: string },
): Finding {
  const { loop } = context;
  const { head } = of;
  if (head.lane === undefined || head.lane === DUE_LANE) {
    const now = loop.time.now();
    return dueLater({ dueAt: head.dueAt ?? now, now });
  }
  const { core } = loop.engine;
  const lane = core.books.get(of.id.partition)?.lanes.get(head.lane);
  const { queued } = core.ofTenant(of.tenant, parseClass(of.class) ?? 1);
  const parkedRuns = lane?.parked ?? 0;
  return {
    reason: 'PRIORITY_QUEUE_WAIT',
    detail: `The task is parked in the store behind ${queued} ready tasks of the same tenant and priority; ${parkedRuns} runs are parked.`,
    suggestion: 'Start more workers, or raise the priority of the run.',
    numbers: { queuedInMemory: queued, parked: parkedRuns, priority: of.class },
  };
}
