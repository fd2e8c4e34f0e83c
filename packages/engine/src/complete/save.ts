import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { armDeadline } from '../core/deadline.ts';
import { answerStale, findAttempt, heardFrom } from '../core/find-attempt.ts';
import { taskCheckpointed, taskExtended } from '../facts/facts.ts';
import { AHEAD_MS_MAX, isWithin } from '../model/ranges.ts';

/** WRK-05: keeps the attempt's state for the next one, should this one not finish. */
export function checkpoint(core: Core, command: Command & { kind: 'checkpoint' }): Answer {
  heardFrom(core, command.worker);
  const attempt = findAttempt(core, command.worker, command.ref);
  if (attempt === null) {
    answerStale(core, command.worker, command.ref);
    return DONE;
  }
  const { task, number } = attempt;
  const { partition, seq } = task.run;
  const of = { partition, seq, task: task.index, at: core.now, attempt: number };
  core.emit(core.bookOf(task.run), taskCheckpointed({ ...of, state: command.state }), task.run);
  return DONE;
}

/** LIV-08: more time, as long as the task has moved since it last got some. */
export function extend(core: Core, command: Command & { kind: 'extend' }): Answer {
  heardFrom(core, command.worker);
  const { worker, ref } = command;
  const attempt = findAttempt(core, worker, ref);
  if (attempt === null) {
    answerStale(core, worker, ref);
    return DONE;
  }
  const moved = attempt.progress > attempt.extendedAtProgress;
  const hardAt = attempt.hardAt + command.byMs;
  // A task that always moves could push its deadline beyond every date.
  const isAllowed =
    command.byMs > 0 &&
    isWithin('report.extend', command.byMs) &&
    hardAt <= core.now + AHEAD_MS_MAX;
  if (!moved || attempt.hardAt === 0 || attempt.stopAt !== 0 || !isAllowed) {
    core.tell({ kind: 'extended', worker, ref, granted: false, hardAt: attempt.hardAt });
    return DONE;
  }
  const { task, number } = attempt;
  const { partition, seq } = task.run;
  const of = { partition, seq, task: task.index, at: core.now, attempt: number };
  attempt.extendedAtProgress = attempt.progress;
  core.emit(core.bookOf(task.run), taskExtended({ ...of, hardAt }), task.run);
  armDeadline(core, task);
  core.tell({ kind: 'extended', worker, ref, granted: true, hardAt });
  return DONE;
}
