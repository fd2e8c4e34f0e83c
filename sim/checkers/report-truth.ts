import { isTerminalRun, isTerminalTask, parseDetail, type TaskState } from '@signalbox/engine';
import type { StoredRun } from '@signalbox/store';
import type { HistoryEvent, Seen } from '../history.ts';
import { runKey } from '../names.ts';
import { Calendar } from './calendar.ts';
import type { Checker } from './checker.ts';

type Read = HistoryEvent & { kind: 'read.ok' };

/** C12: what readers were told never contradicts the store in the end, and never goes backwards. */
export const reportTruth: Checker = {
  name: 'C12',
  promise: 'what is shown is true and never goes backwards',
  check: ({ events, runs }) => {
    const problems: string[] = [];
    const stored = new Map(runs.map((each) => [runKey(each.run.id), each]));
    const reads = new Map<string, Read[]>();
    const calendar = new Calendar(events);
    for (const event of events) {
      if (event.kind !== 'read.ok') continue;
      const name = runKey(event.id);
      // History is kept for a time; whether it was time is C20's.
      const isGone = event.view === null && calendar.isDropped(event.id, event.t);
      if (!isGone) problems.push(...contradictions(event, stored.get(name)));
      if (event.stale || event.view === null) continue;
      const before = reads.get(name) ?? [];
      reads.set(name, before);
      for (const earlier of before) {
        // Only what was answered before this was asked is certainly older.
        if (earlier.t > event.invokedAt - (event.lagMs ?? 0)) continue;
        const why = backwards(earlier.view as Seen, event.view);
        if (why !== null) problems.push(`run ${name} went backwards for its readers: ${why}`);
      }
      before.push(event);
    }
    return problems;
  },
};

function contradictions(read: Read, stored: StoredRun | undefined): string[] {
  const name = runKey(read.id);
  if (read.view === null) return stored ? [`run ${name} was denied to its reader`] : [];
  if (stored === undefined) return [`run ${name} was shown and does not exist`];
  const { state, endedAtMs, tasks } = read.view;
  if (isTerminalRun(state)) {
    const { end } = stored;
    if (end?.state !== state || end.endedAtMs !== endedAtMs) {
      return [`run ${name} was shown ${state}, it is ${end?.state ?? 'not ended'}`];
    }
  }
  const final = stored.end && parseDetail(stored.end.detail, stored.run.id.ms).tasks;
  return tasks.flatMap((task, i) => {
    const end = final?.[i];
    if (end === undefined) return [];
    if (isTerminalTask(task.state as TaskState) && end.state !== task.state) {
      return [`task ${name}/${i} was shown ${task.state}, it is ${end.state}`];
    }
    if (task.ended + task.live > end.attempts.length) {
      return [`task ${name}/${i} was shown an attempt that never was`];
    }
    return [];
  });
}

function backwards(earlier: Seen, later: Seen): string | null {
  if (isTerminalRun(earlier.state) && later.state !== earlier.state) {
    return `${earlier.state} became ${later.state}`;
  }
  if (earlier.state === 'RUNNING' && later.state === 'PENDING') return 'RUNNING became PENDING';
  for (const [i, before] of earlier.tasks.entries()) {
    const after = later.tasks[i];
    if (after === undefined) continue;
    if (rank(after) < rank(before)) return `task ${i}: ${before.state} became ${after.state}`;
  }
  return null;
}

/** How far a task has come: attempts that ended, then the live one, then its end. */
function rank(task: Seen['tasks'][number]): number {
  if (isTerminalTask(task.state as TaskState)) return Number.POSITIVE_INFINITY;
  return task.ended * 3 + (task.live === 0 ? 0 : task.state === 'RUNNING' ? 2 : 1);
}
