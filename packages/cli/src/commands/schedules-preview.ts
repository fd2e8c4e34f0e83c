import { type PreviewRefusal, previewWindows } from '@signalbox/node/preview';
import { type Command, Option } from 'commander';
import { printJson } from '../print/json.ts';
import { previewAnswer, printPreview } from '../print/preview-view.ts';
import { UserError } from '../user-error.ts';
import { addCommand, type Registry } from './define.ts';
import { previewLines } from './preview-lines.ts';

/** Asks no node: what an expression means is the same everywhere. */
export function addPreview({ app }: Registry, parent: Command): void {
  const command = addCommand(parent, 'preview [expr]', {
    summary: 'show the next windows of a cron expression, with every clock change',
    examples: [
      ['signalbox schedules preview "30 2 * * *" --tz Europe/Berlin', 'the next ten windows'],
      ['signalbox schedules preview "0 9 * * MON" --from 2026-03-01 --count 3', 'from a date on'],
      ['signalbox schedules preview --stdin < requests.jsonl', 'one JSON object a line'],
    ],
    configure: (configured) => {
      configured
        .option('--tz <zone>', 'IANA name of the time zone (UTC)')
        .option('--from <instant>', 'windows after this instant (now)')
        .option('--until <instant>', 'windows before this instant')
        .option('--count <number>', 'how many windows (10)')
        .addOption(
          new Option('--dst-gap <policy>', 'times that a clock change jumps over').choices([
            'shift',
            'skip',
          ]),
        )
        .addOption(
          new Option('--dst-overlap <policy>', 'times that a clock change repeats').choices([
            'first',
            'last',
            'both',
          ]),
        )
        .option('--stdin', 'read requests from standard input, one JSON object a line')
        .option('--json', 'print JSON for programs');
    },
  });
  // Inherited from the parent; here a second argument is an expression without quotes.
  command.allowExcessArguments(false);
  command.action(async () => {
    const options: Record<string, unknown> = command.opts();
    const [expr] = command.args;
    if (options['stdin'] === true) {
      if (expr !== undefined) throw new UserError('usage', '--stdin takes no expression');
      await previewLines(app);
      return;
    }
    if (expr === undefined) throw new UserError('usage', "missing required argument 'expr'");
    const { tz, from, until, count, dstGap, dstOverlap } = options;
    const request = { expr, tz, from, until, count: numberOf(count), dstGap, dstOverlap };
    const preview = previewWindows(request, app.terminal.now());
    if (preview.kind === 'refused') throw mistake(expr, preview.refusal);
    if (options['json'] === true) printJson(app.terminal, previewAnswer(preview));
    else printPreview(app.terminal, preview);
  });
}

/** Text that is no number is left for the one place that refuses it. */
function numberOf(count: unknown): unknown {
  return typeof count === 'string' && /^\d{1,6}$/.test(count) ? Number(count) : count;
}

const OPTION_OF: Readonly<Record<string, string>> = {
  tz: '--tz',
  from: '--from',
  until: '--until',
  count: '--count',
};

function mistake(expr: string, { field, message, position }: PreviewRefusal): UserError {
  if (position === undefined) {
    return new UserError('usage', `${OPTION_OF[field] ?? field}: ${message}`);
  }
  // The arrow stands under the character at fault, behind the width of "hint:  ".
  const arrow = `${' '.repeat(position + 6)}^`;
  const name = field.split('.')[1] ?? 'the expression';
  const isShort = expr.length <= 100 && !/[^ -~]/.test(expr);
  return new UserError('usage', `${name}: ${message}`, isShort ? `${expr}\n${arrow}` : undefined);
}
