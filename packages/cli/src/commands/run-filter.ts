import type { Command } from 'commander';
import { instantOf } from './instant-option.ts';

/** The options that select runs, for lists and bulk changes. */
export function filterOptions(command: Command): void {
  command
    .option('--job <name>', 'only runs of this job')
    .option('--state <state>', 'only runs in this state')
    .option('--priority <priority>', 'only runs of this priority: P0, P1 or P2')
    .option('--from <instant>', 'only runs submitted at this instant or later, like -2h')
    .option('--until <instant>', 'only runs submitted before this instant')
    .option('--idempotency-key <key>', 'only the run with this idempotency key')
    .option('--schedule <name>', 'only runs that this schedule started')
    .option('--trigger <name>', 'only runs that this trigger started')
    .option('--event <id>', 'only runs started by the event with this id')
    .option('--id <start>', 'only runs whose id starts with this; at least four digits')
    .option('--submitted-by <key>', 'only runs submitted with the key of this id');
}

/** The filter of the API. States and priorities may be typed in lower case. */
export function filterOf(
  options: Readonly<Record<string, unknown>>,
): Record<string, string | undefined> {
  const filter = options as Record<string, string | undefined>;
  const now = Date.now();
  return {
    job: filter['job'],
    state: filter['state']?.toUpperCase(),
    priority: filter['priority']?.toUpperCase(),
    from: instantOf('--from', filter['from'], now),
    until: instantOf('--until', filter['until'], now),
    idempotencyKey: filter['idempotencyKey'],
    schedule: filter['schedule'],
    trigger: filter['trigger'],
    event: filter['event'],
    id: filter['id'],
    submittedBy: filter['submittedBy'],
  };
}
