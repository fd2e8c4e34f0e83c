/**
 * Rows `r` of a table that cover ids of the spans $1 to $4 (tenant, floor, low, high), see
 * `packs/spans.ts`: the last row up to `low`, which may reach into the span, and those that begin
 * behind it. The floor keeps the look in one segment. Many spans are one id; those are left out of
 * the second half before anything is looked up. `offset 0` keeps the planner from turning the probes
 * into a join over whole segments where it knows too little about them.
 */
export function rowsInSpans(s: string, table: 'ends' | 'runs'): string {
  // The key of ends has no tenant in it; what is another's is left out behind (I19).
  const ofTenant = table === 'runs' ? 'tenant = span.tenant and' : '';
  const spans = `unnest($1::text[], $2::uuid[], $3::uuid[], $4::uuid[])
    as span(tenant, floor, low, high)`;
  return `(
  select r.* from ${spans}
  cross join lateral (
    select * from ${s}.${table}
    where ${ofTenant} id >= span.floor and id <= span.low
    order by id desc limit 1
  ) r
  where coalesce(r.last, r.id) >= span.low and r.tenant = span.tenant
  union all
  select r.* from ${spans}
  cross join lateral (
    select * from ${s}.${table} where ${ofTenant} id > span.low and id <= span.high offset 0
  ) r
  where span.low < span.high and r.tenant = span.tenant
) r`;
}
