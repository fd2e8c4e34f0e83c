import type { InboxEntry } from '../../contract/inbox.ts';
import type { AppendResult, Commit, CommitPart } from '../../contract/journal.ts';
import { groupChecksum } from '../../damage/row-checksums.ts';
import { StoreError } from '../../errors.ts';
import { validateCommit } from '../../validate-commit.ts';
import type { Context } from '../context.ts';
import { isConstraintFailure } from '../failure.ts';
import { insertEntry } from '../inbox.ts';
import { insertGroup } from '../sql/groups/insert-group.ts';
import { deleteInbox } from '../sql/inbox/delete-inbox.ts';
import { advanceLastSeq } from '../sql/leases/advance-last-seq.ts';
import { readLease } from '../sql/leases/read-lease.ts';
import { findTakenKeys, takeKeys, writeAliases } from './keys.ts';
import { writeEnds } from './write-ends.ts';
import { writeParked } from './write-parked.ts';
import { writeRuns } from './write-runs.ts';

type Attempt = AppendResult | { readonly kind: 'keyClash' };

/** Each attempt fails only if another process removes the conflicting key at the same moment. */
const ATTEMPTS_MAX = 3;
const NONE: readonly InboxEntry[] = [];

export function append(context: Context, commit: Commit): AppendResult {
  validateCommit(commit);
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const result = context.db.write(
      () => tryAppend(context, commit),
      ({ kind }) => kind === 'committed',
    );
    if (result.kind !== 'keyClash') return result;
    const taken = findTakenKeys(context, commit);
    if (taken !== null) return taken;
  }
  throw new StoreError('unavailable', 'keys were reserved and deleted at the same time');
}

/** Runs inside a transaction that is only committed if the result is `committed`. */
function tryAppend(context: Context, commit: Commit): Attempt {
  context.catalog.refresh();
  const partitions = commit.parts.filter((part) => isFenced(context, part)).map((p) => p.partition);
  if (partitions.length > 0) return { kind: 'fenced', partitions };
  if (!takeKeys(context, commit)) return { kind: 'keyClash' };
  for (const part of commit.parts) {
    if (!writeGroup(context, commit.commitId, part)) {
      return { kind: 'fenced', partitions: [part.partition] };
    }
    writeRuns(context, part.runs);
    writeEnds(context, part.ends);
    writeParked(context, part.partition, part.parked);
    writeAliases(context, part);
    for (const id of part.inboxTaken) context.db.run(deleteInbox, id);
    for (const entry of part.inboxPut ?? NONE) insertEntry(context.db, entry);
  }
  return { kind: 'committed' };
}

/** I9: only the newest epoch writes, and only at the next seq. */
function isFenced({ db }: Context, part: CommitPart): boolean {
  const { partition, epoch, seq } = part;
  if (db.run(advanceLastSeq, seq, partition, epoch) === 1) return false;
  const row = db.get(readLease, partition);
  const lastSeq = row?.['last_seq'] as number | undefined;
  if (lastSeq !== undefined && row?.['epoch'] === epoch && seq > lastSeq + 1) {
    throw new StoreError(
      'invalid',
      `seq ${seq} leaves a gap after ${lastSeq} in partition ${partition}`,
    );
  }
  return true;
}

function writeGroup({ db, catalog }: Context, commitId: string, part: CommitPart): boolean {
  const { partition, seq, epoch, atMs, factCount, body } = part;
  const checksum = groupChecksum({ ...part, commitId });
  const sql = insertGroup(catalog.ensureGroupSegment(seq));
  try {
    db.run(sql, partition, seq, epoch, commitId, atMs, factCount, body, checksum);
    return true;
  } catch (error) {
    if (isConstraintFailure(error)) return false;
    throw error;
  }
}
