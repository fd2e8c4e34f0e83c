import type { BulkAnswer } from '@signalbox/protocol';
import type { Command } from 'commander';
import { printJson } from '../print/json.ts';
import type { Terminal } from '../print/terminal.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, type Call, type Registry } from './define.ts';
import { filterOf, filterOptions } from './run-filter.ts';

const TEXTS = {
  cancel: {
    summary: 'cancel every matching run that has not ended',
    done: 'cancelled',
    question: 'Cancel',
  },
  retry: {
    summary: 'retry every matching run that ended without success, as a new run',
    done: 'retried',
    question: 'Retry',
  },
} as const;

/** `runs cancel` and `runs retry`: page by page until no matching run is left. */
export function addBulk(registry: Registry, runs: Command, action: 'cancel' | 'retry'): void {
  const { summary, done, question } = TEXTS[action];
  addClientCommand(registry, runs, {
    usage: action,
    summary,
    examples: [
      [`signalbox runs ${action} --job report --from -1h --dry-run`, 'only count and list them'],
      [
        `signalbox runs ${action} --job report --from -1h --reason "bad data"`,
        'count, ask, then do it',
      ],
      [`signalbox runs ${action} --job report --from -1h --yes`, 'without asking, as in a script'],
    ],
    configure: (command) => {
      filterOptions(command);
      command
        .option('--reason <text>', 'why; stored with the runs')
        .option('-y, --yes', 'do not ask for confirmation')
        .option('--dry-run', 'change nothing; print how many runs match, and the first of them');
    },
    async run(call) {
      const { terminal } = call;
      const isDry = call.options['dryRun'] === true;
      if (!isDry && !(await isAgreed(call, { action, question }))) {
        terminal.note('nothing was changed');
        return 'no';
      }
      const total = await changeMatching(call, action, { isDry, prints: true });
      if (call.json) return total.failed > 0 ? 'no' : undefined;
      if (isDry) terminal.line(`${total.count} would be ${done}`);
      else terminal.line(`${total.done} of ${total.count} ${done}`);
      return total.failed > 0 ? 'no' : undefined;
    },
  });
}

/** Asks with the number of runs that match now; without a terminal only `--yes` agrees. */
async function isAgreed(
  call: Call,
  { action, question }: { action: 'cancel' | 'retry'; question: string },
): Promise<boolean> {
  const { app, api, options } = call;
  if (options['yes'] === true) return true;
  const { count } = await changeMatching(call, action, { isDry: true, prints: false });
  if (count === 0) return true;
  const runs = count === 1 ? '1 run' : `${count} runs`;
  const answer = await app.confirm(`${question} ${runs} at ${api.access.url}?`);
  if (answer !== null) return answer;
  const hint = 'add --yes to go ahead, or --dry-run to list the runs that match';
  throw new UserError(
    'usage',
    `nothing was changed: ${runs} would be affected, and there is no terminal to ask on`,
    hint,
  );
}

function filterFrom({ options, terminal }: Call, action: string): Record<string, string> {
  const filter = definedOf(filterOf(options));
  if (Object.keys(filter).length > 0) return filter;
  const hint = `signalbox runs ${action} --help lists them`;
  throw new UserError('usage', 'say which runs, with at least one option', terminal.typed(hint));
}

async function changeMatching(
  call: Call,
  action: 'cancel' | 'retry',
  { isDry: dryRun, prints }: { isDry: boolean; prints: boolean },
): Promise<{ count: number; done: number; failed: number }> {
  const { api, terminal, options, json } = call;
  const filter = filterFrom(call, action);
  const { reason } = options;
  const total = { count: 0, done: 0, failed: 0 };
  let cursor: string | undefined;
  do {
    const answer: BulkAnswer = await api.post(`/runs/${action}`, {
      filter,
      dryRun,
      ...(reason === undefined ? {} : { reason }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (prints && json) printJson(terminal, answer);
    else if (prints) printAnswer(terminal, answer, dryRun && total.count === 0);
    total.count += answer.count;
    total.done += answer.done;
    total.failed += answer.failed.length;
    cursor = answer.next;
  } while (cursor !== undefined);
  return total;
}

function printAnswer(terminal: Terminal, answer: BulkAnswer, showsIds: boolean): void {
  if (showsIds) for (const id of answer.ids) terminal.line(id);
  for (const { id, retryOf } of answer.created ?? []) terminal.line(`${id} (of ${retryOf})`);
  for (const { id, code, message } of answer.failed) terminal.note(`${id}: ${code}: ${message}`);
}

function definedOf(fields: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
