/**
 * Rows of a table that cover ids of the spans $1 to $4 (tenant, floor, low, high), see
 * `packs/spans.ts`. A pack that begins before `low` may reach into the span, so the look begins at
 * the last row up to `low`. The floor keeps it in one segment. `offset 0` keeps the planner from
 * turning the probes into a join over whole segments where it knows too little about them.
 */
export function rowsInSpans(s: string, table: 'ends' | 'runs'): string {
  // The key of ends has no tenant in it: a neighbour may be another's, and is left out behind.
  const inKey = table === 'runs' ? 'tenant = span.tenant and' : '';
  return `
unnest($1::text[], $2::uuid[], $3::uuid[], $4::uuid[]) as span(tenant, floor, low, high)
left join lateral (
  select id from ${s}.${table}
  where ${inKey} id >= span.floor and id <= span.low
  order by id desc limit 1
) near on true
cross join lateral (
  select * from ${s}.${table}
  where ${inKey} id >= span.floor and id >= coalesce(near.id, span.low) and id <= span.high
  offset 0
) r
where coalesce(r.last, r.id) >= span.low and r.tenant = span.tenant`;
}
