import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { settle } from '../core/settle.ts';
import { taskSucceeded } from '../facts/facts.ts';
import type { Task } from '../model/run.ts';
import { of } from './of.ts';
import type { GraphPorts } from './ports.ts';
import { lacksInput, scopeOf } from './scope.ts';
import { decide, isWaiting, waitOf } from './wait.ts';

/** A person approves or rejects. Said too late, or of a task that waits for something else, it is refused. */
export function approve(core: Core, command: Command & { kind: 'approve' }): Answer {
  const task = waitingTask(core, command);
  if (task === null || waitOf(task).kind !== 'approval') return NO_APPROVAL;
  decide(core, task, command);
  return DONE;
}

/** An event came: whoever waits for such a one goes on with it (each once). */
export function signalEvent(
  core: Core,
  command: Command & { kind: 'event' },
  ports: GraphPorts,
): Answer {
  const waiting = core.eventWaits
    .of(command.tenant, command.type)
    .filter((task) => task.run.partition === command.partition && isMeant(command, task));
  // Judged without the input that its filter may ask for, the event would be lost to the wait.
  const bare = waiting.filter((task) => lacksInput(task.run));
  for (const task of bare) core.tell({ kind: 'loadInput', run: task.run });
  if (bare.length > 0) return NOT_YET;
  for (const task of waiting) {
    const wait = waitOf(task);
    if (wait.kind !== 'event') continue;
    if (wait.when !== null && command.only === undefined) {
      const judged = ports.judge(wait.when, scopeOf(task, command.event));
      // A filter that cannot be evaluated on this event does not let it through; the wait goes on.
      if ('error' in judged || !judged.value) continue;
    }
    settle(core, task, taskSucceeded({ ...of(core, task), output: command.event }));
  }
  return DONE;
}

function isMeant({ only }: Command & { kind: 'event' }, task: Task): boolean {
  return only === undefined || (only.seq === task.run.seq && only.task === task.index);
}

function waitingTask(
  core: Core,
  { partition, seq, task: index }: { partition: number; seq: number; task: number },
): Task | null {
  const task = core.books.get(partition)?.runs.get(seq)?.tasks[index];
  return task !== undefined && isWaiting(task) ? task : null;
}

const NOT_YET: Answer = {
  kind: 'refused',
  code: 'unavailable',
  message: 'runs that wait for it are being read',
};
const NO_APPROVAL: Answer = {
  kind: 'refused',
  code: 'invalid',
  message: 'the task does not wait for an approval',
};
