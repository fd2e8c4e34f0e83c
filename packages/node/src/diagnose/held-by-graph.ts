import {
  assertNever,
  type Core,
  formatRunId,
  isFailure,
  isTerminalTask,
  type Run,
  type RunGraph,
  type Task,
  type TaskPart,
  taskName,
} from '@signalbox/engine';
import type { Finding } from './reasons.ts';
import { count, duration, shellWord } from './words.ts';

/** Somebody, or something, holds the whole run. */
export function pausedRun(run: Run, paused: NonNullable<RunGraph['paused']>): Finding {
  const { by, why, detail } = paused;
  const who = by === '' ? '' : ` by ${by}`;
  const id = formatRunId(run);
  return {
    reason: 'RUN_PAUSED',
    detail: `The run is paused${who}${detail === '' ? '' : `: ${detail}`}.`,
    suggestion:
      why === 'fan_out_limit'
        ? `To allow as many children: signalbox resume ${id} --max-fan-out ${childrenAsked(detail) ?? run.spec.graph.fanOutMax * 2}. To cancel the run: signalbox cancel ${id}`
        : `Repair the cause, then: signalbox resume ${id}. To cancel the run: signalbox cancel ${id}`,
    numbers: { why },
  };
}

/** The pause keeps the number in its sentence only. */
function childrenAsked(detail: string): string | null {
  return / asks for (\d+) children/.exec(detail)?.[1] ?? null;
}

/** What only tasks of graphs wait for; null where it is none of it. */
export function heldByGraph(core: Core, task: Task, now: number): Finding | null {
  const { part } = task;
  if (part === null) return null;
  if (part.firstChild >= 0) {
    return waitingChildren(task, part);
  }
  if (part.paced) {
    return {
      reason: 'WAITING_TURN',
      detail: `The run has ${task.run.tasks.length} tasks, so they become ready at a limited rate.`,
      suggestion:
        'Nothing: the task becomes ready soon. To raise the rate, raise limits.readyPerSecond of the job.',
      numbers: { waiting: core.pacer.waiting },
    };
  }
  return part.waitsSince > 0 ? waitingOutside(task, part.waitsSince, now) : null;
}

function waitingChildren(task: Task, { firstChild, childCount: of }: TaskPart): Finding {
  const children = task.run.tasks.slice(firstChild, firstChild + of);
  const open = children.find((child) => !isTerminalTask(child.state));
  const failed = children.filter((child) => isFailure(child.state)).length;
  const next = taskName(open ?? task);
  return {
    reason: 'WAITING_CHILDREN',
    detail: `The fan-out has ${count(of, 'child task')}; ${task.waitsFor} have not ended, ${failed} failed. The first that has not ended is ${next} (${(open ?? task).state}).`,
    suggestion: `See why ${next} has not ended: signalbox why ${shellWord(`${formatRunId(task.run)}:${next}`)}`,
    numbers: { open: task.waitsFor, of, failed },
  };
}

/** Its nested run cannot begin: no run of that job may. */
export function pausedJob(job: string): Finding {
  return {
    reason: 'JOB_PAUSED',
    detail: `The task waits for a run of the job ${job}. The run cannot start, because the job is paused.`,
    suggestion: `Resume the job: signalbox jobs resume ${job}`,
    numbers: { job },
  };
}

/** What is asked for ends as its author ended it. */
function asked(message: string): string {
  if (message === '') return '.';
  return /[.?!…]$/.test(message) ? `: ${message}` : `: ${message}.`;
}

function where(filter: string | null): string {
  return filter === null ? '' : ` with ${filter}`;
}

function waitingOutside(task: Task, from: number, now: number): Finding | null {
  const sinceMs = now - from;
  const { wait } = task.spec.step;
  const since = `for ${duration(sinceMs)}`;
  const numbers = { sinceMs, ...(task.dueAt > 0 ? { runAt: task.dueAt } : {}) };
  switch (wait?.kind) {
    case undefined:
      return null;
    case 'sleep': {
      const inMs = Math.max(0, task.dueAt - now);
      return {
        reason: 'WAITING_UNTIL',
        detail: `The task sleeps until ${new Date(task.dueAt).toISOString()}, for ${duration(inMs)} more.`,
        suggestion: 'Nothing: the next tasks start after the sleep.',
        numbers: { ...numbers, inMs },
      };
    }
    case 'approval':
      return {
        reason: 'WAITING_PERSON',
        detail: `The task has waited ${since} for an approval${asked(wait.message)}`,
        suggestion: `Approve or reject the task: signalbox approve ${shellWord(`${formatRunId(task.run)}:${taskName(task)}`)}`,
        numbers,
      };
    case 'event':
      return {
        reason: 'WAITING_EVENT',
        detail: `The task has waited ${since} for an event of type ${wait.type}${where(wait.when)}.`,
        suggestion: `Send the event, or end the wait: signalbox signal ${shellWord(`${formatRunId(task.run)}:${taskName(task)}`)}`,
        numbers,
      };
    case 'run': {
      const run = task.part?.nested ?? null;
      const which = run === null ? `a run of the job ${wait.job} to start` : `the run ${run}`;
      return {
        reason: 'WAITING_RUN',
        detail: `The task has waited ${since} for ${which}${run === null ? '' : ` of the job ${wait.job}`}.`,
        suggestion:
          run === null
            ? 'Nothing: the run starts without help.'
            : `See why run ${run} has not ended: signalbox why ${run}`,
        numbers: { ...numbers, job: wait.job, ...(run === null ? {} : { run }) },
      };
    }
    default:
      return assertNever(wait);
  }
}
