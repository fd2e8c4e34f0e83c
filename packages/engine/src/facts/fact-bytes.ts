import type { Fact } from './facts.ts';

/** What a task that was added at run time takes in the packed record, about. */
const ADDED_TASK_BYTES = 256;
/** What the state of a task that is carried over takes beside its output, about. */
const CARRIED_TASK_BYTES = 32;

/**
 * What a fact adds to its commit beyond a short line, by lengths that are known already. Facts are
 * limited in number as well, so a line without a payload weighs nothing here.
 */
export function factBytes(fact: Fact): number {
  switch (fact.kind) {
    case 'runSubmitted':
      return fact.run.input?.length ?? 0;
    case 'runEnded':
      return fact.detail.length + (fact.output?.length ?? 0);
    case 'taskSucceeded':
      return fact.output?.length ?? 0;
    case 'taskCheckpointed':
      return fact.state.length;
    case 'taskFailed':
    case 'taskRetryAt':
    case 'taskTimedOut':
    case 'taskQuarantined':
      return fact.error.length;
    case 'eventKept':
      return fact.event.length;
    case 'tasksAdded':
      return fact.tasks.length * ADDED_TASK_BYTES;
    case 'tasksTakenOver': {
      let bytes = 0;
      for (const { output, error } of fact.tasks) {
        bytes += CARRIED_TASK_BYTES + (output?.length ?? 0) + (error?.length ?? 0);
      }
      return bytes;
    }
    default:
      return 0;
  }
}
