/**
 * A run keeps the idempotency keys it was submitted with, as a JSON list or '' for none, so that
 * it can be shown as submitted after the keys themselves have been forgotten. The default is a
 * fact of the catalogue: no row is rewritten, and rows from before read as "none".
 * Not null, because a ninth column that may be null would add eight bytes to every row.
 *
 * The index makes forgetting cheap: the oldest keys are found by the id of their run instead of by
 * a scan of all keys. New entries go to its right end, so it stays small and cached.
 */
export const runKeys = (s: string): string => `
alter table ${s}.runs add column keys text not null default '';
create index keys_run on ${s}.keys (run);
`;
