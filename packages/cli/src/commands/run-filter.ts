import type { Command } from 'commander';
import { instantOf } from './instant-option.ts';

/** Which runs, for whatever lists them or changes many of them. */
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

/** As the API takes it. States and priorities may be typed in lower case. */
export function filterOf(
  options: Readonly<Record<string, unknown>>,
): Record<string, string | undefined> {
  const given = options as Record<string, string | undefined>;
  const now = Date.now();
  return {
    job: given['job'],
    state: given['state']?.toUpperCase(),
    priority: given['priority']?.toUpperCase(),
    from: instantOf('--from', given['from'], now),
    until: instantOf('--until', given['until'], now),
    idempotencyKey: given['idempotencyKey'],
    schedule: given['schedule'],
    trigger: given['trigger'],
    event: given['event'],
    id: given['id'],
    submittedBy: given['submittedBy'],
  };
}
