import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { enqueue } from '../core/enqueue.ts';
import { oweRaise } from '../core/nested-words.ts';
import { runClassChanged } from '../facts/facts.ts';
import { NO_SUCH_RUN } from './not-found.ts';

/** Moves waiting tasks to another class; what runs goes on running (PRI-09). */
export function changeClass(core: Core, command: Command & { kind: 'changeClass' }): Answer {
  const { partition, seq, by, reason } = command;
  const book = core.books.get(partition);
  const run = book?.runs.get(seq);
  if (book === undefined || run === undefined) return NO_SUCH_RUN;
  if (run.class === command.class) return DONE;
  const isRaised = command.class < run.class;
  const waiting = run.tasks.filter((task) => task.lane !== null || core.stalled.has(task));
  for (const task of waiting) {
    core.queues.remove(task);
    core.unstall(task);
  }
  const fact = { partition, seq, at: core.now, class: command.class, by, reason };
  core.emit(book, runClassChanged(fact), run);
  for (const task of waiting) enqueue(core, task);
  if (!isRaised) return DONE;
  for (const task of run.tasks) {
    if (task.state === 'PENDING' && task.part !== null && task.part.nested !== null) {
      oweRaise(core, task);
    }
  }
  return DONE;
}
