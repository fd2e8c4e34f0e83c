/**
 * Rows `r` of a table that cover ids of the spans $1 to $4 (tenant, floor, low, high), see
 * `row-blocks/spans.ts`: the last row up to `low`, which may reach into the span, and those that begin
 * behind it. The floor keeps the look in one segment; $5 and $6, below and above all of them, tell the
 * server before it begins which segments it need not open: there may be a hundred. Many spans are one
 * id; those are left out of the second half before anything is looked up. `offset 0` keeps the planner
 * from turning the probes into a join over whole segments where it knows too little about them.
 */
export function rowsInSpans(s: string, { table, anyTenant = false }: Search): string {
  // The key of ends has no tenant in it; rows of other tenants are filtered afterwards (I19).
  const inKey = table === 'runs' ? 'tenant = span.tenant and' : '';
  const isOwn = anyTenant ? '' : 'and r.tenant = span.tenant';
  const spans = `unnest($1::text[], $2::uuid[], $3::uuid[], $4::uuid[])
    as span(tenant, floor, low, high)`;
  return `(
  select r.* from ${spans}
  cross join lateral (
    select * from ${s}.${table}
    where ${inKey} id >= span.floor and id <= span.low and id >= $5::uuid and id <= $6::uuid
    order by id desc limit 1
  ) r
  where coalesce(r.last, r.id) >= span.low ${isOwn}
  union all
  select r.* from ${spans}
  cross join lateral (
    select * from ${s}.${table}
    where ${inKey} id > span.low and id <= span.high and id >= $5::uuid and id <= $6::uuid
    offset 0
  ) r
  where span.low < span.high ${isOwn}
) r`;
}

interface Search {
  readonly table: 'ends' | 'runs';
  /** Rows of every tenant: for a refusal, which returns no row. */
  readonly anyTenant?: boolean;
}

/**
 * Divides by zero where a row for one of the ids in the spans is there already. The keys are on first
 * ids and do not detect an id in the middle of a row block. A statement by itself, before the rows are
 * written: in the same one it would walk over all that the statement has written so far.
 */
export const refuseCovered = (table: 'ends' | 'runs') => (s: string) =>
  `select 1 / (count(*) = 0)::int from ${rowsInSpans(s, { table, anyTenant: true })}`;
