/**
 * Makes the table for logs of each open segment that has none, with the borders that its runs have.
 * Not with the segment itself: during an upgrade a node that knows of no logs makes segments too.
 * The rows of the segments are locked, because sealing one must find its table, or find none for
 * good. Attaching locks the parent against other schema changes only.
 */
export function makeLogTables(s: string): string {
  return `
do $$
declare
  segment record;
begin
  for segment in
    select r.from_ms, pg_get_expr(c.relpartbound, c.oid) as borders
    from ${s}.segments r
    join pg_class c on c.oid = to_regclass('${s}.runs_' || r.from_ms)
    where r.state = 'open' and to_regclass('${s}.logs_' || r.from_ms) is null
    order by r.from_ms
    for share of r
  loop
    execute format('create table ${s}.logs_%s (like ${s}.logs including all)', segment.from_ms);
    execute format(
      'alter table ${s}.logs attach partition ${s}.logs_%s %s', segment.from_ms, segment.borders
    );
  end loop;
end $$;`;
}
