import type { Command } from 'commander';
import { addCommand, type Registry } from './define.ts';
import { addPreview } from './schedules-preview.ts';
import { addSaved } from './schedules-saved.ts';
import { addWindows } from './schedules-windows.ts';

export function addSchedules(registry: Registry, program: Command): void {
  const command = addCommand(program, 'schedules', {
    summary: 'create and change schedules, and see their windows',
    examples: [
      ['signalbox schedules preview "30 2 * * *" --timezone Europe/Berlin', 'before it is saved'],
      ['signalbox schedules create nightly hello --cron "30 2 * * *"', 'save it'],
      ['signalbox schedules timeline nightly', 'what fired, how late, what was skipped and why'],
    ],
  });
  addSaved(registry, command);
  addPreview(registry, command);
  addWindows(registry, command);
}
