import { firstIdOf, formatRunId } from '@signalbox/engine';

export interface RunSegmentRange {
  readonly fromMs: number;
  readonly toMs: number;
}

export const RUN_TABLES = ['runs', 'ends', 'parked', 'logs'] as const;

/**
 * Makes a table for each family and attaches it. Attaching locks the parent only against other
 * schema changes, where `create table … partition of` would stop every commit until it is done.
 */
export function createRunSegment(s: string, { fromMs, toMs }: RunSegmentRange): string {
  const from = formatRunId(firstIdOf(fromMs));
  const to = formatRunId(firstIdOf(toMs));
  const tables = RUN_TABLES.map(
    (table) => `
create table ${s}.${table}_${fromMs} (like ${s}.${table} including all);
alter table ${s}.${table} attach partition ${s}.${table}_${fromMs}
  for values from ('${from}') to ('${to}');`,
  );
  return `${tables.join('')}
insert into ${s}.segments (from_ms, to_ms, state) values (${fromMs}, ${toMs}, 'open');`;
}
