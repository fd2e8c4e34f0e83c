import type { BulkAnswer } from '@signalbox/protocol';
import type { Command } from 'commander';
import { printJson } from '../print/json.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, type Call, type Registry } from './define.ts';
import { filterOf, filterOptions } from './run-filter.ts';

const TEXTS = {
  cancel: { summary: 'cancel all matching runs that have not ended', done: 'cancelled' },
  retry: { summary: 'retry all matching runs that failed, as new runs', done: 'retried' },
} as const;

/** `runs cancel` and `runs retry`: step by step until nothing that matches is left. */
export function addBulk(registry: Registry, runs: Command, action: 'cancel' | 'retry'): void {
  const { summary, done } = TEXTS[action];
  addClientCommand(registry, runs, {
    usage: action,
    summary,
    examples: [
      [`signalbox runs ${action} --job report --from -1h --dry-run`, 'only count and show them'],
      [`signalbox runs ${action} --job report --from -1h --reason "bad data"`, 'do it'],
    ],
    configure: (command) => {
      filterOptions(command);
      command
        .option('--reason <text>', 'why; kept with the runs')
        .option('--dry-run', 'change nothing; say how many match, and the first of them');
    },
    async run(call) {
      const total = await steps(call, action);
      const { terminal } = call;
      if (call.json) return total.failed > 0 ? 'no' : undefined;
      if (call.options['dryRun'] === true) terminal.line(`${total.count} would be ${done}`);
      else terminal.line(`${total.done} of ${total.count} ${done}`);
      return total.failed > 0 ? 'no' : undefined;
    },
  });
}

async function steps(
  { api, terminal, options, json }: Call,
  action: 'cancel' | 'retry',
): Promise<{ count: number; done: number; failed: number }> {
  const filter = definedOf(filterOf(options));
  if (Object.keys(filter).length === 0) {
    const hint = `for the options: signalbox runs ${action} --help`;
    throw new UserError('usage', 'select the runs with at least one option', terminal.typed(hint));
  }
  const { reason, dryRun = false } = options;
  const total = { count: 0, done: 0, failed: 0 };
  let cursor: string | undefined;
  do {
    const answer: BulkAnswer = await api.post(`/runs/${action}`, {
      filter,
      dryRun,
      ...(reason === undefined ? {} : { reason }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (json) printJson(terminal, answer);
    else {
      if (dryRun && total.count === 0) for (const id of answer.ids) terminal.line(id);
      for (const { id, retryOf } of answer.created ?? []) {
        terminal.line(`${id} (of ${retryOf})`);
      }
      for (const { id, code, message } of answer.failed)
        terminal.note(`${id}: ${code}: ${message}`);
    }
    total.count += answer.count;
    total.done += answer.done;
    total.failed += answer.failed.length;
    cursor = answer.next;
  } while (cursor !== undefined);
  return total;
}

function definedOf(fields: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
