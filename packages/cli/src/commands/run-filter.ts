import type { Command } from 'commander';
import { instantOf } from './instant-option.ts';

/** Which runs, for whatever lists them or changes many of them. */
export function filterOptions(command: Command): void {
  command
    .option('--job <name>', 'only of this job')
    .option('--state <state>', 'only in this state')
    .option('--priority <priority>', 'only of this priority: P0, P1 or P2')
    .option('--from <instant>', 'only those submitted then or later, like -2h')
    .option('--to <instant>', 'only those submitted before')
    .option('--idempotency-key <key>', 'only the one that holds this key')
    .option('--schedule <name>', 'only those that this schedule started')
    .option('--trigger <name>', 'only those that this trigger started')
    .option('--event <id>', 'only those made from this event')
    .option('--id <start>', 'only those whose id begins so (four digits at least)')
    .option('--submitted-by <key>', 'only those submitted by this key');
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
    to: instantOf('--to', given['to'], now),
    idempotencyKey: given['idempotencyKey'],
    schedule: given['schedule'],
    trigger: given['trigger'],
    event: given['event'],
    id: given['id'],
    submittedBy: given['submittedBy'],
  };
}
