import { type Answer, DONE } from '../commands.ts';
import { startClock } from '../core/begin.ts';
import type { Core } from '../core/core.ts';
import { armDeadline } from '../core/deadline.ts';
import { makeReady } from '../core/enqueue.ts';
import { endLingering, type Lingering } from '../core/lingering.ts';
import { charge, endCharge, orphan, unorphan, vacate } from '../core/occupy.ts';
import type { Book } from '../model/book.ts';
import { PLAIN } from '../model/graph-spec.ts';
import { keysOfHead } from '../model/keys-of-head.ts';
import type { Attempt, Run, Task } from '../model/run.ts';

/**
 * Takes over a partition: derives queues, timers and worker use from its book. CLU-11: what waits
 * is queued; what runs is awaited until its worker has had time to say so; only then is it given up.
 */
export function takePartition(core: Core, book: Book): Answer {
  core.books.set(book.partition, book);
  // Oldest first over the whole partition, so that FIFO survives the take-over.
  const runs = [...book.runs.values()].sort((a, b) => a.seq - b.seq);
  for (const run of runs) {
    for (const key of keysOfHead(run.head)) {
      // Not the run itself: the key is remembered longer than the run is live.
      const { partition, seq, ms } = run;
      const { tenant } = run.spec;
      core.keys.set({ tenant, key, holder: { partition, seq, ms }, group: 0, at: ms });
    }
    for (const task of run.tasks) {
      if (task.attempt !== null) awaitWorker(core, task.attempt);
      else if (task.state === 'QUEUED') makeReady(core, keepPlace(core, task));
      else if (task.waitsFor === 0 && task.state === 'PENDING') {
        if (run.tasks.length === 1 && task.spec.step === PLAIN)
          makeReady(core, keepPlace(core, task));
        else core.unblocked.push(task);
      }
    }
    if (run.tasks.length > 1) core.watch();
    core.drain();
  }
  for (const { seq, ...notification } of book.notifications.values()) {
    core.tell({ kind: 'notify', partition: book.partition, seq, notification });
  }
  for (const worker of core.workers.workers.keys()) core.tell({ kind: 'restate', worker });
  return DONE;
}

/** By when it became ready: parked runs of the same queue are younger and must stay behind it. */
function keepPlace(core: Core, task: Task): Task {
  const readyMs = Math.max(task.run.ms, task.dueAt);
  if (readyMs <= core.now) task.order = core.takeOrder(readyMs);
  return task;
}

/** Its worker has been asked what it holds, or has one silent term to appear and say so (DUR-19). */
function awaitWorker(core: Core, attempt: Attempt): void {
  attempt.sent = true;
  attempt.recovered = true;
  charge(core, attempt);
  orphan(core, attempt.task, attempt.workerName);
  attempt.orphanUntil = core.now + core.settings.silentMs;
  // Deadlines of what runs are derived, not written: they are set again, from when it really started.
  if (attempt.task.state === 'RUNNING') startClock(core, attempt);
  else armDeadline(core, attempt.task);
}

/** The partition has another owner: everything about it is forgotten, nothing is said about it. */
export function leavePartition(core: Core, partition: number): Answer {
  const book = core.books.get(partition);
  if (book === undefined) return DONE;
  core.books.delete(partition);
  core.keys.deletePartition(partition);
  for (const run of book.runs.values()) forget(core, run);
  for (const worker of core.workers.workers.values()) {
    for (const item of [...worker.lingering.values()]) {
      const lingering = item as Lingering;
      if (lingering.attempt.task.run.partition === partition) endLingering(core, lingering);
    }
  }
  return DONE;
}

function forget(core: Core, run: Run): void {
  core.pacer.drop(run);
  for (const task of run.tasks) {
    core.wheel.disarm(task);
    core.unstall(task);
    if (task.lane !== null) core.queues.remove(task);
    core.eventWaits.delete(task);
    if (task.attempt === null) continue;
    endCharge(core, task.attempt);
    if (task.attempt.worker === null) unorphan(core, task, task.attempt.workerName);
    else vacate(core, task.attempt);
  }
}
