import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { settle } from '../core/settle.ts';
import { taskSucceeded } from '../facts/facts.ts';
import type { Task } from '../model/run.ts';
import { of } from './of.ts';
import { decide, isWaiting, waitOf } from './wait.ts';

/** A person approves or rejects. Said too late, or of a task that waits for something else, it is refused. */
export function approve(core: Core, command: Command & { kind: 'approve' }): Answer {
  const task = waitingTask(core, command);
  if (task === null || waitOf(task).kind !== 'approval') return NO_APPROVAL;
  decide(core, task, command);
  return DONE;
}

/** Somebody ends the wait of one task for an event. Of a task that waits for something else it is refused. */
export function signal(core: Core, command: Command & { kind: 'signal' }): Answer {
  const task = waitingTask(core, command);
  if (task === null || waitOf(task).kind !== 'event') return NO_EVENT;
  settle(core, task, taskSucceeded({ ...of(core, task), output: command.event }));
  return DONE;
}

function waitingTask(
  core: Core,
  { partition, seq, task: index }: { partition: number; seq: number; task: number },
): Task | null {
  const task = core.books.get(partition)?.runs.get(seq)?.tasks[index];
  return task !== undefined && isWaiting(task) ? task : null;
}

const NO_APPROVAL: Answer = {
  kind: 'refused',
  code: 'invalid',
  message: 'the task does not wait for an approval',
};
const NO_EVENT: Answer = {
  kind: 'refused',
  code: 'invalid',
  message: 'the task does not wait for an event',
};
