import type { Answer, Command } from '@signalbox/engine';

/**
 * Decides commands one after the other. A request under one key is all or nothing: where its first
 * submission is known already, so is each of the others, and deciding them would make them twice.
 * They were numbered in a row, so that their answers follow from the first.
 */
export function decideAll(
  commands: readonly Command[],
  decide: (command: Command) => Answer,
): Answer[] {
  const [first] = commands;
  if (first === undefined) return [];
  const answer = decide(first);
  if (isRequest(first) && answer.kind !== 'accepted') {
    return commands.map((_, i) => following(answer, i));
  }
  const answers = [answer];
  for (let i = 1; i < commands.length; i++) answers.push(decide(commands[i] as Command));
  return answers;
}

function isRequest(command: Command): boolean {
  return command.kind === 'submit' && command.head.batch !== undefined;
}

function following(first: Answer, i: number): Answer {
  return first.kind === 'duplicate' ? { ...first, seq: first.seq + i } : first;
}
