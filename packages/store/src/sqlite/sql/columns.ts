/** Everything of a run but its input, which not every reader wants to carry. */
export const RUN_COLUMNS =
  'r.tenant, r.id, r.job, r.job_version, r.class, r.head, r.keys, r.input_bytes';

export const END_COLUMNS = 'e.state, e.ended_at_ms, e.detail, e.output';
