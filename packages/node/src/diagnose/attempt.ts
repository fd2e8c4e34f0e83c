import {
  type Attempt,
  type Core,
  formatRunId,
  REASONS,
  type StopReason,
  type Task,
  workerLostAt,
} from '@signalbox/engine';
import type { Finding } from './reasons.ts';
import { duration, moment } from './words.ts';

/** Missed heartbeats after which a worker is reported as silent: a single late one is no news. */
const BEATS_MISSED = 2;

/** What a task with a live attempt waits for: its worker first, because nothing moves without it. */
export function diagnoseAttempt(core: Core, attempt: Attempt, now: number): Finding {
  return (
    workerAway(core, attempt, now) ??
    stopping(attempt, now) ??
    (attempt.task.state === 'ASSIGNED' ? waitingAccept(core, attempt, now) : running(attempt, now))
  );
}

function workerAway(core: Core, attempt: Attempt, now: number): Finding | null {
  const { worker, orphanUntil } = attempt;
  if (worker === null) {
    const since = orphanUntil - core.settings.silentMs;
    const what = `which has not attached since this node took over the run at ${moment(since)}`;
    return away('WORKER_DETACHED', { attempt, what, since, lostAt: orphanUntil, now });
  }
  const lostAt = workerLostAt(core, worker);
  if (worker.status === 'detached') {
    const { detachedAt: since } = worker;
    const what = `disconnected since ${moment(since)} (${duration(now - since)} ago)`;
    return away('WORKER_DETACHED', { attempt, what, since, lostAt, now });
  }
  const { lastSeenAt: since } = worker;
  if (now - since < BEATS_MISSED * core.settings.heartbeatMs) return null;
  const what = `silent since ${moment(since)} (${duration(now - since)} ago)`;
  return away('WORKER_SILENT', { attempt, what, since, lostAt, now });
}

function away(
  reason: 'WORKER_DETACHED' | 'WORKER_SILENT',
  of: { attempt: Attempt; what: string; since: number; lostAt: number; now: number },
): Finding {
  const { attempt, what, since, lostAt, now } = of;
  const { workerName: worker, number } = attempt;
  const left = Math.max(0, lostAt - now);
  const then =
    attempt.task.state === 'ASSIGNED' ? 'the task is queued again' : 'the task is retried';
  return {
    reason,
    detail: `Attempt ${number} is on worker ${worker}, ${what}. The attempt is considered lost at ${moment(lostAt)}, in ${duration(left)}; then ${then}.`,
    suggestion: `Restart worker ${worker} or repair its network. To see its state: signalbox workers show ${worker}`,
    numbers: { worker, attempt: number, since, lostAt, inMs: left },
  };
}

const STOP_CAUSES: Readonly<Record<StopReason, (worker: string) => string>> = {
  cancelled: () => 'the run is being cancelled',
  timeout: () => 'the attempt exceeded its timeout',
  stuck: () => 'the attempt made no progress for too long',
  drained: (worker) => `worker ${worker} is being drained`,
  upstream_failed: () => 'another task of the run failed',
};

function stopping(attempt: Attempt, now: number): Finding | null {
  const { workerName: worker, number, stopWhy: why, stopAt } = attempt;
  if (why === null) return null;
  const left = Math.max(0, stopAt - now);
  const next = why === 'drained' ? ' The task is then queued for another worker.' : '';
  return {
    reason: 'STOPPING',
    detail: `Attempt ${number} on ${worker} was told to stop, because ${STOP_CAUSES[why](worker)}. The attempt can finish or save a checkpoint until ${moment(stopAt)}, for ${duration(left)} more.${next}`,
    suggestion:
      why === 'drained'
        ? `Nothing: the task moves to another worker. To let ${worker} take work again: signalbox uncordon ${worker}`
        : 'Nothing: the attempt ends without help.',
    numbers: { worker, attempt: number, why, stopAt, inMs: left },
  };
}

function waitingAccept(core: Core, attempt: Attempt, now: number): Finding {
  const { workerName: worker, number } = attempt;
  const sinceMs = now - attempt.assignedAt;
  const { acceptMs } = core.settings;
  return {
    reason: 'WAITING_ACCEPT',
    detail: `Attempt ${number} was assigned to ${worker} ${duration(sinceMs)} ago, and the worker has not accepted it yet.`,
    suggestion: `Nothing: after ${duration(acceptMs)} the task goes to another worker.`,
    numbers: { worker, attempt: number, sinceMs, acceptMs },
  };
}

function running(attempt: Attempt, now: number): Finding {
  const { workerName: worker, number } = attempt;
  const sinceMs = now - attempt.startedAt;
  return {
    reason: 'RUNNING',
    detail: `Attempt ${number} has been running on ${worker} for ${duration(sinceMs)}.`,
    suggestion: 'Nothing: the task is running.',
    numbers: {
      worker,
      attempt: number,
      sinceMs,
      ...(attempt.progress >= 0 ? { progress: attempt.progress } : {}),
    },
  };
}

/** How the attempt before this wait ended; null for a task that has had none. */
export function lastAttempt(task: Task): string | null {
  const last = task.history?.at(-1);
  if (last === undefined) return null;
  const meaning = REASONS[last.outcome as keyof typeof REASONS] ?? null;
  const why = task.error ?? meaning;
  return `Attempt ${last.number} on ${last.worker} ended: ${last.outcome}${why === null ? '' : ` (${why})`}`;
}

/** Due at a later time: not before it was submitted for, or after a failed attempt. */
export function waitingUntil(task: Task, now: number): Finding {
  const { dueAt } = task;
  const before = lastAttempt(task);
  const id = formatRunId(task.run);
  return {
    ...dueLater({ dueAt, now }),
    ...(before === null
      ? {}
      : {
          detail: `${before}; the next attempt starts at ${moment(dueAt)} or later, in ${duration(dueAt - now)}.`,
          suggestion: `Repair the cause before then. To retry at once: signalbox cancel ${id}, then: signalbox retry ${id}`,
        }),
    numbers: { runAt: dueAt, inMs: Math.max(0, dueAt - now), attempts: task.attempts },
  };
}

export function dueLater({ dueAt, now }: { dueAt: number; now: number }): Finding {
  const inMs = Math.max(0, dueAt - now);
  return {
    reason: 'WAITING_UNTIL',
    detail: `The run starts at ${moment(dueAt)}, in ${duration(inMs)}.`,
    suggestion: 'Nothing: the run starts on time. To start at once, submit without runAt or delay.',
    numbers: { runAt: dueAt, inMs, attempts: 0 },
  };
}
