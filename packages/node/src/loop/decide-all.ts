import type { Answer, Command } from '@signalbox/engine';
import type { TakenKeys } from './taken-keys.ts';

/**
 * Decides commands one after the other; `taken` says what the store has decided already. A request
 * under one key is all or nothing: where its first submission is known already, so is each of the
 * others, and deciding them would make them twice. They have consecutive numbers, so that their
 * answers follow from the first.
 */
export function decideAll(
  commands: readonly Command[],
  taken: TakenKeys | undefined,
  decide: (command: Command) => Answer,
): Answer[] {
  const [first] = commands;
  if (first === undefined) return [];
  const answer = decideOne(first, taken, decide);
  if (isRequest(first) && answer.kind !== 'accepted') {
    return commands.map((_, i) => following(answer, i));
  }
  const answers = [answer];
  for (let i = 1; i < commands.length; i++) {
    answers.push(decideOne(commands[i] as Command, taken, decide));
  }
  return answers;
}

function decideOne(
  command: Command,
  taken: TakenKeys | undefined,
  decide: (command: Command) => Answer,
): Answer {
  return taken?.answerTo(command) ?? decide(command);
}

function isRequest(command: Command): boolean {
  return command.kind === 'submit' && command.head.batch !== undefined;
}

function following(first: Answer, i: number): Answer {
  return first.kind === 'duplicate' ? { ...first, seq: first.seq + i } : first;
}
