/** The columns of a row of runs `r`, and of one of ends `e`, as `rows/run-row.ts` reads them. */
export const RUN_COLUMNS =
  'r.id, r.count, r.tenant, r.job, r.job_version, r.priority, r.head, r.input, r.input_bytes, r.keys, r.body, r.checksum, r.input_checksum';
export const END_COLUMNS =
  'e.id, e.count, e.tenant, e.state, e.ended_at_ms, e.detail, e.output, e.body, e.checksum, e.output_checksum';
