import {
  type Core,
  formatRunId,
  isTerminalTask,
  parentsOf,
  type Task,
  taskName,
} from '@signalbox/engine';
import { diagnoseAttempt, waitingUntil } from './attempt.ts';
import { ended, endedLive } from './ended.ts';
import { heldByGraph, pausedRun } from './held-by-graph.ts';
import { diagnoseQueued } from './queued.ts';
import type { Finding } from './reasons.ts';
import { count, duration, shellWord } from './words.ts';

/** Parents named in an answer; a task may wait for thousands. */
const PARENTS_TOLD = 20;

/** Why a live task is not running, by the state and the rules that the engine itself goes by. */
export function diagnose(core: Core, task: Task, now: number): Finding {
  if (isTerminalTask(task.state)) return ended(endedLive(task));
  if (task.attempt !== null) return diagnoseAttempt(core, task.attempt, now);
  const paused = task.run.graph?.paused ?? null;
  const held = heldByGraph(core, task, now);
  if (paused !== null)
    return held !== null && hasBegunWait(task) ? whilePaused(held) : pausedRun(task.run, paused);
  if (held !== null) return held;
  if (task.waitsFor > 0) return diagnoseUpstream(task, now);
  if (task.state === 'PENDING' && task.dueAt > now) {
    return waitingUntil(task, now);
  }
  return diagnoseQueued(core, task);
}

function hasBegunWait({ part }: Task): boolean {
  return part !== null && part.waitsSince > 0;
}

/** A pause does not hold up a wait that has begun: its answer is taken, and what comes after it waits. */
function whilePaused(held: Finding): Finding {
  const detail = `${held.detail} The run is paused: later tasks start after the run is resumed.`;
  return { ...held, detail };
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
  const first = upstream[0]?.name ?? taskName(task);
  return {
    reason: 'WAITING_UPSTREAM',
    detail: `The task waits for ${count(open.length, 'task')}: ${told.join(', ')}${more}.`,
    suggestion: `See why ${first} has not ended: signalbox why ${shellWord(`${formatRunId(task.run)}:${first}`)}`,
    numbers: { open: open.length, of: parents.length, upstream },
  };
}
