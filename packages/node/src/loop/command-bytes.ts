import type { Command } from '@signalbox/engine';

/** Payloads that commands keep in memory while they wait, by lengths that are known already. */
export function commandBytes(commands: readonly Command[]): number {
  let bytes = 0;
  for (const command of commands) {
    switch (command.kind) {
      case 'submit':
        bytes += command.input?.length ?? 0;
        break;
      case 'finish':
        if (command.result.kind === 'succeeded') bytes += command.result.output?.length ?? 0;
        break;
      case 'checkpoint':
        bytes += command.state.length;
        break;
      case 'event':
      case 'signal':
        bytes += command.event.length;
        break;
      case 'nestedEnded':
        bytes += command.output?.length ?? 0;
        break;
      case 'pageIn':
        for (const { input } of command.runs) bytes += input?.length ?? 0;
        break;
      default:
    }
  }
  return bytes;
}
