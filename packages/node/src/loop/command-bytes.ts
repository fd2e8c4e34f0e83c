import type { Command } from '@signalbox/engine';

/** Payloads that commands keep in memory while they wait, by lengths that are known already. */
export function commandBytes(commands: readonly Command[]): number {
  let bytes = 0;
  for (const command of commands) bytes += payloadBytes(command);
  return bytes;
}

export function payloadBytes(command: Command): number {
  switch (command.kind) {
    case 'submit':
      return command.input?.length ?? 0;
    case 'finish':
      return command.result.kind === 'succeeded' ? (command.result.output?.length ?? 0) : 0;
    case 'checkpoint':
      return command.state.length;
    case 'event':
    case 'signal':
      return command.event.length;
    case 'nestedEnded':
      return command.output?.length ?? 0;
    case 'pageIn': {
      let bytes = 0;
      for (const { input } of command.runs) bytes += input?.length ?? 0;
      return bytes;
    }
    default:
      return 0;
  }
}
