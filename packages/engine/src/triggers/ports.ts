import type { Answer, Command } from '../commands.ts';
import type { RunWindow } from '../model/run.ts';
import type { Recurrence, When } from '../model/schedule.ts';

/**
 * The input of the run of a window, from the JSON text of its schedule in which `${…}` stands for an
 * expression; or why it cannot be made. The same question must get the same answer.
 */
export type WindowInput = (
  template: string,
  window: RunWindow,
) => { readonly text: string } | { readonly error: string };

/** An engine that was handed none skips what would need one. */
export const NO_TEMPLATES: WindowInput = () => ({ error: 'this engine cannot evaluate templates' });

/** What firing needs of other stages; wired by the engine, because stages do not know each other. */
export interface TriggerPorts {
  recurrenceOf(when: When): Recurrence;
  submit(command: Command & { kind: 'submit' }): Answer;
  /** The group that has to be durable before the submission can be decided, or null. */
  awaitedGroup(command: Command & { kind: 'submit' }): number | null;
  cancel(command: Command & { kind: 'cancel' }): Answer;
  readonly windowInput: WindowInput;
}
