import { ONE_OFF, type Statement } from './statement.ts';

/**
 * Runs of one segment without an end: an anti-join of two tables that both have the id in order.
 * Takes no lock of its own; it reads the segment's tables alone, never the whole history.
 */
export function countOpenRuns(s: string, fromMs: number): Statement {
  return {
    name: ONE_OFF,
    text: `
select count(*) as count from ${s}.runs_${fromMs} r
where not exists (
  select from ${s}.ends_${fromMs} e where e.id = r.id and e.tenant = r.tenant
)`,
  };
}
