import {
  type Attempt,
  type Core,
  isTerminalTask,
  parentsOf,
  type Task,
  taskName,
} from '@signalbox/engine';
import { ended, endedLive } from './ended.ts';
import { heldByGraph, pausedRun } from './held-by-graph.ts';
import { diagnoseQueued } from './queued.ts';
import type { Finding } from './reasons.ts';
import { count, duration } from './words.ts';

/** Parents named in an answer; a task may wait for thousands. */
const PARENTS_TOLD = 20;

/** Why a live task is not running, by the state and the rules that the engine itself goes by. */
export function diagnose(core: Core, task: Task, now: number): Finding {
  if (isTerminalTask(task.state)) return ended(endedLive(task));
  if (task.attempt !== null) return diagnoseAttempt(core, task.attempt, now);
  if (task.run.graph?.paused != null) return pausedRun(task.run.graph.paused);
  const held = heldByGraph(core, task, now);
  if (held !== null) return held;
  if (task.waitsFor > 0) return diagnoseUpstream(task, now);
  if (task.state === 'PENDING' && task.dueAt > now) {
    return waitingUntil({ dueAt: task.dueAt, now, error: task.error, attempts: task.attempts });
  }
  return diagnoseQueued(core, task);
}

export function waitingUntil(of: {
  dueAt: number;
  now: number;
  error: string | null;
  attempts: number;
}): Finding {
  const inMs = Math.max(0, of.dueAt - of.now);
  const when = `${new Date(of.dueAt).toISOString()}, in ${duration(inMs)}`;
  const again = of.attempts > 0;
  return {
    reason: 'WAITING_UNTIL',
    detail: again
      ? `Attempt ${of.attempts} failed (${of.error ?? 'no message'}); the next begins not before ${when}.`
      : `It is due at ${when}.`,
    suggestion: again
      ? 'Mend the error before then; a cancelled run can be retried at once.'
      : 'Nothing: it starts by itself. Submit it without a due time to start now.',
    numbers: { runAt: of.dueAt, inMs, attempts: of.attempts },
  };
}

function diagnoseAttempt(core: Core, attempt: Attempt, now: number): Finding {
  const { workerName: worker, number } = attempt;
  if (attempt.task.state === 'ASSIGNED') {
    const sinceMs = now - attempt.assignedAt;
    const { acceptMs } = core.settings;
    return {
      reason: 'WAITING_ACCEPT',
      detail: `Attempt ${number} was given to ${worker} ${duration(sinceMs)} ago, which has not accepted it yet.`,
      suggestion: `Nothing: after ${duration(acceptMs)} it goes to another worker.`,
      numbers: { worker, attempt: number, sinceMs, acceptMs },
    };
  }
  const sinceMs = now - attempt.startedAt;
  const stopping = attempt.stopWhy;
  return {
    reason: 'RUNNING',
    detail: `Attempt ${number} has been running on ${worker} for ${duration(sinceMs)}${stopping === null ? '' : `, and was told to stop (${stopping})`}.`,
    suggestion: 'Nothing: it runs.',
    numbers: {
      worker,
      attempt: number,
      sinceMs,
      ...(attempt.progress >= 0 ? { progress: attempt.progress } : {}),
    },
  };
}

function diagnoseUpstream(task: Task, now: number): Finding {
  const parents = parentsOf(task);
  const open = parents
    .map((index) => task.run.tasks[index] as Task)
    .filter((parent) => !isTerminalTask(parent.state));
  const upstream = open.slice(0, PARENTS_TOLD).map((parent) => {
    const { timeouts } = parent.spec;
    const startedAt = parent.attempt?.startedAt ?? 0;
    return {
      name: taskName(parent),
      state: parent.state,
      runningForMs: startedAt === 0 ? null : now - startedAt,
      expectedMs: timeouts.expectedMs,
    };
  });
  const told = upstream.map(({ name, state, runningForMs }) =>
    runningForMs === null
      ? `${name} (${state})`
      : `${name} (${state} for ${duration(runningForMs)})`,
  );
  const more = open.length > told.length ? ` and ${open.length - told.length} more` : '';
  return {
    reason: 'WAITING_UPSTREAM',
    detail: `It waits for ${count(open.length, 'task')}: ${told.join(', ')}${more}.`,
    suggestion: `See why ${upstream[0]?.name ?? 'the first of them'} has not ended.`,
    numbers: { open: open.length, of: parents.length, upstream },
  };
}
