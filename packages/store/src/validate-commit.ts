import type { Commit, CommitPart } from './contract/journal.ts';
import type { RunRow } from './contract/runs.ts';
import { StoreError } from './errors.ts';
import { requireText, requireTexts } from './validate-text.ts';

/**
 * Maximum bytes of payloads in one commit. PostgreSQL accepts no message above 1 GiB and closes the
 * connection instead of refusing it, which looks like a lost response; every store refuses well below that.
 */
export const COMMIT_BYTES_MAX = 268_435_456;

/** What can be refused by looking at the commit alone, the same way for every store. */
export function validateCommit(commit: Commit): void {
  requireText('commitId', commit.commitId);
  let bytes = 0;
  for (const [index, part] of commit.parts.entries()) {
    for (let other = 0; other < index; other++) {
      if (commit.parts[other]?.partition === part.partition) {
        throw new StoreError('invalid', `partition ${part.partition} has two parts in one commit`);
      }
    }
    bytes += validatePart(part);
  }
  if (bytes > COMMIT_BYTES_MAX) {
    throw new StoreError(
      'invalid',
      `the commit has ${bytes} bytes; at most ${COMMIT_BYTES_MAX} are allowed`,
    );
  }
}

/** Returns the bytes of its payloads, which are counted in the same pass. */
function validatePart(part: CommitPart): number {
  if (!Number.isSafeInteger(part.seq) || part.seq < 1) {
    throw new StoreError(
      'invalid',
      `seq ${part.seq} of partition ${part.partition} is not a valid sequence number`,
    );
  }
  let bytes = part.body.length;
  let before: RunRow | null = null;
  for (const run of part.runs) {
    validateRun(run, before);
    bytes += run.input?.length ?? 0;
    before = run;
  }
  let [tenant, state] = ['', ''];
  for (const end of part.ends) {
    if (end.tenant !== tenant) requireText('end.tenant', end.tenant);
    if (end.state !== state) requireText('end.state', end.state);
    ({ tenant, state } = end);
    requireText('end.detail', end.detail);
    bytes += end.detail.length + (end.output?.length ?? 0);
  }
  for (const parked of part.parked) {
    requireText('parked.lane', parked.lane);
    requireText('parked.tenant', parked.tenant);
    // A fraction would be rounded where the column is an integer, and change the order.
    if (!Number.isSafeInteger(parked.sort)) {
      throw new StoreError('invalid', `parked.sort ${parked.sort} is not a safe integer`);
    }
  }
  for (const id of part.inboxTaken) requireText('inboxTaken', id);
  for (const { tenant, key } of part.aliases) {
    requireText('aliases.tenant', tenant);
    requireText('aliases.key', key);
  }
  for (const { tenant, key } of part.claims ?? []) {
    requireText('claims.tenant', tenant);
    requireText('claims.key', key);
  }
  if (part.inboxPut === undefined) return bytes;
  for (const { id, tenant, job, head, key, input } of part.inboxPut) {
    requireTexts({ id, tenant, job, head, key });
    bytes += input?.length ?? 0;
  }
  return bytes;
}

/** Fields equal to those of the previous row are not validated again: runs of one request are alike. */
function validateRun(run: RunRow, before: RunRow | null): void {
  if (run.tenant !== before?.tenant) requireText('run.tenant', run.tenant);
  if (run.job !== before?.job) requireText('run.job', run.job);
  if (run.head !== before?.head) requireText('run.head', run.head);
  for (const key of run.keys) requireText('run.keys', key);
  // A key that is listed twice would seem to be taken by another run.
  if (run.keys.length > 1 && new Set(run.keys).size !== run.keys.length) {
    throw new StoreError('invalid', 'a run names the same key twice');
  }
}
