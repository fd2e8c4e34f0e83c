import type { Doctor } from '@signalbox/protocol';
import type { Command } from 'commander';
import { printJson } from '../print/json.ts';
import { escapeControls } from '../print/safe-text.ts';
import type { Terminal } from '../print/terminal.ts';
import { addClientCommand, type Registry } from './define.ts';

export function addDoctor(registry: Registry, program: Command): void {
  addClientCommand(registry, program, {
    usage: 'doctor',
    summary: 'check store, clocks, partitions and damaged rows, and say what to do',
    examples: [['signalbox doctor', 'exits with 1 if something needs attention']],
    async run({ api, terminal, json }) {
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
  for (const { kind, key, tenant, error, at, advice } of damagedRows) {
    const whose = tenant === null ? '' : ` of ${tenant}`;
    terminal.line(escapeControls(`${kind} ${key}${whose}: ${error} (found ${at})`));
    advise(advice);
  }
}
