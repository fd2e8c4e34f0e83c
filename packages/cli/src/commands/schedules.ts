import type { Command } from 'commander';
import { UserError } from '../user-error.ts';
import { addCommand, type Registry } from './define.ts';
import { addPreview } from './schedules-preview.ts';

export function addSchedules(registry: Registry, program: Command): void {
  const command = addCommand(program, 'schedules', {
    summary: 'show the windows of an expression; saved schedules are not part of this version',
    examples: [['signalbox schedules preview "30 2 * * *" --tz Europe/Berlin', 'the next ten']],
  });
  command.allowExcessArguments().allowUnknownOption();
  command.action(() => {
    const hint = 'start runs at a time with: signalbox submit JOB --due INSTANT, or --delay TIME';
    throw new UserError('notHere', 'saved schedules are not part of this version', hint);
  });
  addPreview(registry, command);
}
