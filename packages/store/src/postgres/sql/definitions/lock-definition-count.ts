import { sql } from '../statement.ts';

/** Writers that count wait for each other: each must see the definition that the one before it added. */
export const lockDefinitionCount = sql(
  'lock_definition_count',
  (s) => `
select pg_advisory_xact_lock(
  hashtextextended('signalbox definitions ${s} ' || length($1::text) || ' ' || $1::text || ' ' || $2::text, 0)
)`,
);
