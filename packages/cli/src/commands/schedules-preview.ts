import { type Command, Option } from 'commander';
import { addCommand, type Registry } from './define.ts';

/** Asks no node: what an expression means is the same everywhere. */
export function addPreview({ app }: Registry, parent: Command): void {
  const command = addCommand(parent, 'preview [expr]', {
    summary: 'show the next windows of a cron expression, with every clock change',
    examples: [
      ['signalbox schedules preview "30 2 * * *" --timezone Europe/Berlin', 'the next ten windows'],
      ['signalbox schedules preview "0 9 * * MON" --from 2026-03-01 --limit 3', 'from a date on'],
      ['signalbox schedules preview --stdin < requests.jsonl', 'one JSON object a line'],
    ],
    configure: (configured) => {
      configured
        .option('--timezone <name>', 'IANA time zone, like Europe/Berlin (default: UTC)')
        .option('--from <instant>', 'windows after this instant (default: now)')
        .option('--until <instant>', 'windows before this instant')
        .option('-n, --limit <count>', 'how many windows at most (default: 10)')
        .addOption(
          new Option('--dst-gap <policy>', 'for a time that a clock change skips').choices([
            'shift',
            'skip',
          ]),
        )
        .addOption(
          new Option('--dst-overlap <policy>', 'for a time that a clock change repeats').choices([
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
    // Brings the engine with it, which no other command needs.
    const { previewExpression } = await import('./preview-expression.ts');
    await previewExpression(app, command.args[0], command.opts());
  });
}
