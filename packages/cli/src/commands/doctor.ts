import type { Doctor } from '@signalbox/protocol';
import { type Command, Option } from 'commander';
import { printJson } from '../print/json.ts';
import { escapeControls } from '../print/safe-text.ts';
import type { Terminal } from '../print/terminal.ts';
import { addClientCommand, type Registry } from './define.ts';

export function addDoctor(registry: Registry, program: Command): void {
  addClientCommand(registry, program, {
    usage: 'doctor',
    summary: 'check store, clocks, partitions and damaged rows, and say what to do',
    examples: [
      ['signalbox doctor', 'exits with 1 if something needs attention'],
      ['signalbox doctor --forget group/3/17', 'after the row was repaired'],
    ],
    configure: (command) => {
      command
        .addOption(
          new Option(
            '--forget <id>',
            'remove a repaired row, such as group/3/17, from the list',
          ).conflicts('forgetAll'),
        )
        .option('--forget-all', 'remove all rows from the list');
    },
    async run({ api, terminal, json, options }) {
      const { forget, forgetAll } = options as { forget?: string; forgetAll?: boolean };
      if (forget !== undefined || forgetAll === true) {
        const body = forget === undefined ? { all: true } : { id: forget };
        const result = await api.post<{ forgotten: number }>('/doctor/forget', body);
        if (json) printJson(terminal, result);
        else terminal.line(`damaged rows removed from the list: ${result.forgotten}`);
        return undefined;
      }
      const found = await api.get<Doctor>('/doctor');
      if (json) printJson(terminal, found);
      else print(terminal, found);
      return found.status === 'ok' ? undefined : 'no';
    },
  });
}

function print(terminal: Terminal, { checks, damagedRows }: Doctor): void {
  const { paint } = terminal;
  const advise = (advice: string): void => {
    terminal.line(`  ${paint.cyan('→')} ${terminal.typed(escapeControls(advice))}`);
  };
  for (const [name, { ok, detail, advice }] of Object.entries(checks)) {
    terminal.line(`${ok ? 'ok ' : paint.bold('NOT OK')} ${name}: ${escapeControls(detail)}`);
    if (advice !== undefined) advise(advice);
  }
  for (const { id, tenant, error, at, advice } of damagedRows) {
    const whose = tenant === null ? '' : ` of ${tenant}`;
    terminal.line(escapeControls(`${id}${whose}: ${error} (found ${at})`));
    advise(advice);
  }
}
