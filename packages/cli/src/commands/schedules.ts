import type { Command } from 'commander';
import { UserError } from '../user-error.ts';
import { addCommand, type Registry } from './define.ts';

export function addSchedules(_registry: Registry, program: Command): void {
  const command = addCommand(program, 'schedules', {
    summary: 'schedules are not part of this version',
  });
  command.allowExcessArguments().allowUnknownOption();
  command.action(() => {
    const hint = 'start runs at a time with: signalbox submit JOB --due INSTANT, or --delay TIME';
    throw new UserError('notHere', 'schedules are not part of this version', hint);
  });
}
