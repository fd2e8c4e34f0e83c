import { aboutRun } from '../core/alert.ts';
import type { Core } from '../core/core.ts';
import { notify } from '../core/notify.ts';
import { graphOf } from '../model/graph.ts';
import type { Run } from '../model/run.ts';
import { isTerminalTask } from '../model/states.ts';
import { isWaiting } from './wait.ts';

/**
 * Looks for runs of graphs that do not move, or take twice as long as they usually do (DAG-25), and
 * tells somebody. It changes nothing: what is stuck is a person's to judge. Now and then only, so
 * that no completion has to write down when it was. Answers whether there is a graph left to watch.
 */
export function watchRuns(core: Core): boolean {
  let some = false;
  for (const book of core.books.values()) {
    for (const run of book.runs.values()) {
      if (run.tasks.length === 1) continue;
      some = true;
      if (run.state === 'RUNNING' || isLost(run)) watchRun(core, run);
    }
  }
  return some;
}

function watchRun(core: Core, run: Run): void {
  const { expectedMs } = run.spec.graph;
  if (expectedMs !== null && core.now - run.ms > 2 * expectedMs && !run.graph?.overdueTold) {
    graphOf(run).overdueTold = true;
    tell(core, run, {
      since: run.ms,
      reason: `the run has taken more than twice its expected duration of ${expectedMs} ms`,
    });
  }
  const movedAt = Math.max(lastMove(run), run.graph?.alertedAt ?? 0);
  if (core.now - movedAt < core.settings.stuckRunMs || onlyWaits(run)) return;
  graphOf(run).alertedAt = core.now;
  tell(core, run, {
    since: movedAt,
    reason: `the run has made no progress for ${core.now - movedAt} ms`,
  });
}

function tell(core: Core, run: Run, why: { since: number; reason: string }): void {
  core.tell({ kind: 'alert', alert: 'runStuck', about: { ...aboutRun(run), ...why } });
  notify(core, run, { on: 'alert', state: run.state, detail: why.reason });
}

/** Not begun, in no queue and without a time of its own: nothing would ever move it. */
function isLost(run: Run): boolean {
  return (
    run.state === 'PENDING' && !run.tasks.some(({ state }) => state === 'QUEUED') && !onlyWaits(run)
  );
}

/** Sleeping, or somebody has been asked: that it stands still is meant. */
function onlyWaits(run: Run): boolean {
  return run.tasks.every(
    (task) =>
      isTerminalTask(task.state) ||
      // A wait that is to end by itself has a timer; without one it would never end.
      (isWaiting(task) && (task.dueAt === 0 || task.timerBucket !== null)) ||
      (task.state === 'PENDING' && (task.waitsFor > 0 || task.timerBucket !== null)),
  );
}

function lastMove(run: Run): number {
  let at = run.ms;
  for (const { attempt, history, part } of run.tasks) {
    if (attempt !== null) at = Math.max(at, attempt.assignedAt, attempt.startedAt);
    const last = history?.at(-1);
    if (last !== undefined) at = Math.max(at, last.endedAt);
    if (part !== null) at = Math.max(at, part.waitsSince, part.waitedUntil);
  }
  return at;
}
