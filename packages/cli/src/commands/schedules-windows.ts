import { randomUUID } from 'node:crypto';
import type { Backfilled, TimelineEntry } from '@signalbox/protocol';
import { type Command, Option } from 'commander';
import { pathOf } from '../client/path-of.ts';
import { printJson } from '../print/json.ts';
import { TIMELINE_HEAD, timelineRow } from '../print/schedule-view.ts';
import { printTable } from '../print/table.ts';
import { addClientCommand, type Registry } from './define.ts';
import { instantOf } from './instant-option.ts';
import { limitOf, limitOption, within } from './limit.ts';

/** What became of the windows of a schedule, and runs for those of the past. */
export function addWindows(registry: Registry, parent: Command): void {
  addClientCommand(registry, parent, {
    usage: 'timeline <schedule>',
    summary: 'show its windows: planned, fired with lateness, skipped with the reason',
    configure: (command) => limitOption(command, 50),
    async run({ api, terminal, args, options, json }) {
      const path = `${pathOf('schedules', args[0])}/timeline`;
      const items: TimelineEntry[] = [];
      for await (const entry of api.items<TimelineEntry>(path, {}, limitOf(options))) {
        items.push(entry);
      }
      if (json) for (const entry of items) printJson(terminal, entry);
      else printTable(terminal, TIMELINE_HEAD, items.map(timelineRow));
      return undefined;
    },
  });
  addClientCommand(registry, parent, {
    usage: 'backfill <schedule>',
    summary: 'create runs for past windows',
    examples: [
      [
        'signalbox schedules backfill nightly --from 2030-01-01T00:00Z --until 2030-02-01T00:00Z --dry-run',
        'what would be made',
      ],
      ['signalbox schedules backfill nightly --from -7d', 'the missing ones of a week, up to now'],
    ],
    configure: (command) => {
      command
        .requiredOption('--from <instant>', 'the first window, or before it')
        .option('--until <instant>', 'the last window, or after it', 'now')
        .addOption(
          new Option(
            '--only <which>',
            'windows: those without a run (missing, the default), or all',
          ).choices(['missing', 'all']),
        )
        .option('--dry-run', 'only say what would be made')
        .option('--per-minute <count>', 'start so many in a minute', within('backfill.perMinute'))
        .option('--idempotency-key <key>', 'a repeat under it completes what was cut short');
    },
    async run({ api, terminal, args, options, json }) {
      const { only, dryRun, perMinute } = options;
      const key = (options['idempotencyKey'] as string | undefined) ?? randomUUID();
      const now = Date.now();
      const from = instantOf('--from', options['from'] as string, now);
      const until = instantOf('--until', options['until'] as string, now);
      const body = { from, until, only, dryRun, perMinute };
      const done = await api.post<Backfilled>(`${pathOf('schedules', args[0])}/backfill`, body, {
        'idempotency-key': key,
      });
      if (json) {
        printJson(terminal, done);
        return undefined;
      }
      for (const { window, run } of done.items) {
        terminal.line(run === undefined ? window : `${window}  ${run}`);
      }
      for (const { window, run } of done.existing) terminal.line(`${window}  ${run}  was there`);
      const what = done.dryRun ? 'would be made' : 'made';
      terminal.note(
        `${done.windows} windows, ${done.missing} without a run; ${done.items.length} runs ${what}`,
      );
      if (done.leftOut !== undefined) {
        terminal.note(
          `${done.leftOut} windows of the pause were left out: afterPause is catchUp, so resuming runs or skips them; backfill the skipped ones then`,
        );
      }
      return undefined;
    },
  });
}
