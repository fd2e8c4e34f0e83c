/** Takes the one write lock at once, so that a decision made inside cannot be overtaken. */
export const BEGIN_WRITE = 'BEGIN IMMEDIATE';
/** Several reads of one state, also while another process writes. */
export const BEGIN_READ = 'BEGIN DEFERRED';
/** Keeps every other process out: no process may read half a schema. */
export const BEGIN_MIGRATION = 'BEGIN EXCLUSIVE';
export const COMMIT = 'COMMIT';
export const ROLLBACK = 'ROLLBACK';
