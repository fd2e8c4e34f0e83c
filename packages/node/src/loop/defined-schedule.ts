import type { ScheduleDefinition } from '@signalbox/engine';
import type { Definition } from '@signalbox/store';

/** The schedule of the events that a trigger expects; the slash keeps it apart from those of tenants. */
export function expectationName(trigger: string): string {
  return `trigger/${trigger}`;
}

/** What a definition says of a schedule: its own, or the one of the events that a trigger expects. */
export function definedSchedule({ kind, name, body }: Definition): {
  readonly schedule: string;
  readonly job: string;
  /** Null where a trigger expects nothing. */
  readonly wanted: ScheduleDefinition | null;
} {
  if (kind === 'schedule') {
    const wanted = JSON.parse(body) as ScheduleDefinition;
    return { schedule: name, job: wanted.job, wanted };
  }
  const { job, expected } = JSON.parse(body) as { job: string; expected?: ScheduleDefinition };
  return { schedule: expectationName(name), job, wanted: expected ?? null };
}
