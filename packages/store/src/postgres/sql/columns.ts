/** The columns of a run `r` and of its end `e`, as `rows/run-row.ts` reads them. */
export const RUN_COLUMNS =
  'r.id, r.tenant, r.job, r.job_version, r.class, r.head, r.input, r.input_bytes, r.keys';
export const END_COLUMNS = 'e.state, e.ended_at_ms, e.detail, e.output';
