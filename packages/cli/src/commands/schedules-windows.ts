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

/** Commands about the windows of a schedule: the timeline, and runs for past windows. */
export function addWindows(registry: Registry, parent: Command): void {
  addClientCommand(registry, parent, {
    usage: 'timeline <schedule>',
    summary: 'list windows of a schedule: planned, fired (and how late), skipped (and why)',
    configure: (command) => limitOption(command, 50),
    async run({ api, terminal, args, options, json }) {
      const path = `${pathOf('schedules', args[0])}/timeline`;
      const items: TimelineEntry[] = [];
      for await (const entry of api.items<TimelineEntry>(path, {}, limitOf(options))) {
        items.push(entry);
      }
      if (json) for (const entry of items) printJson(terminal, entry);
      else printTable(terminal, TIMELINE_HEAD, items.map(timelineRow));
    },
  });
  addBackfill(registry, parent);
}

function addBackfill(registry: Registry, parent: Command): void {
  addClientCommand(registry, parent, {
    usage: 'backfill <schedule>',
    summary: 'create runs for past windows of a schedule',
    examples: [
      [
        'signalbox schedules backfill nightly --from 2030-01-01T00:00Z --until 2030-02-01T00:00Z --dry-run',
        'only list the windows',
      ],
      ['signalbox schedules backfill nightly --from -7d', 'the windows of a week that have no run'],
    ],
    configure: (command) => {
      command
        .requiredOption('--from <instant>', 'start of the time range')
        .option('--until <instant>', 'end of the time range, inclusive', 'now')
        .addOption(
          new Option(
            '--only <which>',
            'which windows: those without a run (missing, the default), or all',
          ).choices(['missing', 'all']),
        )
        .option('--dry-run', 'only list the windows')
        .option(
          '--per-minute <count>',
          'how many runs start in a minute',
          within('backfill.perMinute'),
        )
        .option(
          '--idempotency-key <key>',
          'repeat an interrupted backfill under the same key to complete it',
        );
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
