import type { Answer, Command } from '../commands.ts';
import type { Recurrence, When } from '../model/schedule.ts';

/** What firing needs of other stages; wired by the engine, because stages do not know each other. */
export interface TriggerPorts {
  recurrenceOf(when: When): Recurrence;
  submit(command: Command & { kind: 'submit' }): Answer;
  /** The group that has to be durable before the submission can be decided, or null. */
  awaitedGroup(command: Command & { kind: 'submit' }): number | null;
  cancel(command: Command & { kind: 'cancel' }): Answer;
}
