import { sql } from '../statement.ts';

/**
 * Opens every commit. Takes the attempt's own lock, shared and until the end of the transaction,
 * so that `void-attempt` can wait for an attempt that is still under way. A statement by itself:
 * the next one then takes its snapshot after the lock, and cannot miss a voiding that came before.
 * The settings end with the transaction, so a pooler never sees them on another's session. The
 * plans of a commit do not depend on its values, but the server, left to itself, finds a plan for
 * one row cheaper than the general one and plans every commit again. Scans
 * are forbidden for the reason given in `read-guard`. Reads no table.
 */
export const appendGuard = sql(
  'append_guard',
  () => `
select pg_advisory_xact_lock_shared($1::bigint),
  set_config('statement_timeout', $2::text, true),
  set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('enable_seqscan', 'off', true)`,
);
