import type { RunView } from '@signalbox/protocol';
import type { Command } from 'commander';
import { findRun } from '../client/find-run.ts';
import { printJson } from '../print/json.ts';
import { addClientCommand, type Call, type Registry } from './define.ts';
import { within } from './limit.ts';

/** Holding a run, and letting it go on. */
export function addHold(registry: Registry, program: Command): void {
  addClientCommand(registry, program, {
    usage: 'pause <run>',
    summary: 'pause a run: none of its tasks starts until it is resumed',
    examples: [['signalbox pause last --reason "wrong data"', 'the newest, with a reason']],
    configure: (command) => {
      command.option('--reason <text>', 'why; kept with the run');
    },
    run: ({ api, terminal, args, options, json }) =>
      change({ api, terminal, json }, { run: args[0], to: 'pause', body: reasonOf(options) }),
  });
  addClientCommand(registry, program, {
    usage: 'resume <run>',
    summary: 'resume a paused run; failed tasks are retried',
    examples: [['signalbox resume last --max-fan-out 50000', 'with a higher limit for fan-outs']],
    configure: (command) => {
      command
        .option('--reason <text>', 'why; kept in the audit log')
        .option(
          '--max-fan-out <count>',
          'how many tasks a fan-out of this run may have',
          within('limits.maxFanOut'),
        );
    },
    run: ({ api, terminal, args, options, json }) => {
      const { maxFanOut } = options;
      const body = { ...reasonOf(options), ...(maxFanOut === undefined ? {} : { maxFanOut }) };
      return change({ api, terminal, json }, { run: args[0], to: 'resume', body });
    },
  });
  addClientCommand(registry, program, {
    usage: 'reevaluate <run>',
    summary: 'decide again about tasks of a run that wait for nothing',
    configure: (command) => {
      command.option('--reason <text>', 'why; kept in the audit log');
    },
    run: ({ api, terminal, args, options, json }) =>
      change({ api, terminal, json }, { run: args[0], to: 'reevaluate', body: reasonOf(options) }),
  });
}

function reasonOf(options: Readonly<Record<string, unknown>>): { reason?: unknown } {
  return options['reason'] === undefined ? {} : { reason: options['reason'] };
}

async function change(
  { api, terminal, json }: Pick<Call, 'api' | 'terminal' | 'json'>,
  { run = '', to, body }: { run: string | undefined; to: string; body: object },
): Promise<undefined> {
  const id = await findRun(api, run);
  const view = await api.post<RunView>(`/runs/${id}/${to}`, body);
  if (json) printJson(terminal, view);
  else terminal.line(`${terminal.paint.state(view.state)}  ${id}`);
}
