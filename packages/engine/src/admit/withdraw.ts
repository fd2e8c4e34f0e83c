import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { endCharge, vacate } from '../core/occupy.ts';
import { dropEmptyLane, removeRun } from '../facts/fold.ts';
import { forgetMet } from '../facts/fold-schedule.ts';
import type { Book } from '../model/book.ts';
import { keysOfHead } from '../model/keys-of-head.ts';
import type { Run } from '../model/run.ts';

/**
 * Forgets a submission that the store refused because its key belongs to another run. Nothing of
 * it is durable, nothing about it has left this node, and nothing was decided by it while it was
 * provisional, so it never existed; the loop drops its facts from the groups that wait.
 */
export function withdraw(core: Core, command: Command & { kind: 'withdraw' }): Answer {
  const { partition, submitted, lane } = command;
  const book = core.books.get(partition);
  if (book === undefined) return DONE;
  const { tenant } = submitted.spec;
  const { expects } = submitted.head;
  for (const key of keysOfHead(submitted.head)) core.keys.delete(tenant, key);
  if (expects !== undefined) forgetMet(book, { tenant, schedule: expects }, submitted.seq);
  const run = book.runs.get(submitted.seq);
  if (run !== undefined) forgetRun(core, book, run);
  else if (lane !== null) {
    book.lane(lane).parked--;
    dropEmptyLane(book, lane);
  }
  return DONE;
}

function forgetRun(core: Core, book: Book, run: Run): void {
  core.pacer.drop(run);
  for (const task of run.tasks) {
    core.wheel.disarm(task);
    core.unstall(task);
    if (task.lane !== null) core.queues.remove(task);
    core.eventWaits.delete(task);
    if (task.attempt === null) continue;
    endCharge(core, task.attempt);
    vacate(core, task.attempt);
    task.attempt = null;
  }
  removeRun(book, run);
}

/** Keys that the store refused to submissions which equal a live run. */
export function forgetKeys(core: Core, command: Command & { kind: 'forgetKeys' }): Answer {
  for (const { tenant, key } of command.keys) core.keys.delete(tenant, key);
  return DONE;
}
