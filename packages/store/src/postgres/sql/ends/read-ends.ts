import { END_COLUMNS } from '../columns.ts';
import { rowsInSpans } from '../spans.ts';
import { sql } from '../statement.ts';
import { withinBytes } from '../within-bytes.ts';

/**
 * Ends of ids in the spans, newest first, up to the one that reaches $8 bytes; with $7 false without
 * outputs, except those in row blocks, which are small and count as 0 bytes.
 */
export const readEnds = sql('read_ends', (s) =>
  withinBytes({
    rows: `
  select ${END_COLUMNS.replaceAll('e.', 'r.')
    .replace('r.output,', 'case when $7::boolean then r.output end as output,')
    .replace(
      'r.output_checksum',
      'case when $7::boolean or r.count is not null then r.output_checksum end as output_checksum',
    )}
  from ${rowsInSpans(s, { table: 'ends' })}`,
    order: 'id desc',
    bytes: `case when count is null
      then octet_length(detail) + coalesce(octet_length(output), 0) else 0 end`,
    bytesMax: '$8::bigint',
  }),
);
