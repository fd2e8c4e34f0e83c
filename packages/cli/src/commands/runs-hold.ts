import type { RunView } from '@signalbox/protocol';
import type { Command } from 'commander';
import { findRun } from '../client/find-run.ts';
import { printJson } from '../print/json.ts';
import { addClientCommand, type Registry } from './define.ts';
import { toCount } from './limit.ts';

/** Holding a run and letting it go on. */
export function addRunsHold(registry: Registry, runs: Command): void {
  const actions = [
    ['pause', 'let nothing of a run begin until it is resumed'],
    ['resume', 'let a run go on; what failed in it is tried again'],
    ['reevaluate', 'look again at everything of a run that waits for nothing'],
  ] as const;
  for (const [action, summary] of actions) {
    addClientCommand(registry, runs, {
      usage: `${action} <run>`,
      summary,
      configure: (command) => {
        command.option('--reason <text>', 'why; kept in the audit log');
        if (action !== 'resume') return;
        command.option('--fan-out-max <count>', 'children that a fan-out may have', toCount);
      },
      async run({ api, terminal, args, options, json }) {
        const id = await findRun(api, args[0] ?? '');
        const { reason, fanOutMax } = options;
        const body = {
          ...(reason === undefined ? {} : { reason }),
          ...(fanOutMax === undefined ? {} : { fanOutMax }),
        };
        const run = await api.post<RunView>(`/runs/${id}/${action}`, body);
        if (json) printJson(terminal, run);
        else terminal.line(`${id} is ${terminal.paint.state(run.state)}`);
        return undefined;
      },
    });
  }
}
