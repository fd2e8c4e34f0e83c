/** Everything of a run but its input, which not every reader wants to carry. */
export const RUN_COLUMNS =
  'r.tenant, r.id, r.job, r.job_version, r.priority, r.head, r.keys, r.input_bytes, r.checksum AS run_checksum';

export const END_COLUMNS =
  'e.state, e.ended_at_ms, e.detail, e.checksum AS end_checksum, e.output, e.output_checksum';

/** The checksum comes with its payload: a row without this column was read without its payload. */
export function inputColumns(withInput: boolean): string {
  return withInput ? 'r.input, r.input_checksum' : 'NULL AS input';
}

export const AUDIT_COLUMNS =
  'tenant, number, at_ms, actor, ip, action, target, before, after, reason, hash';
