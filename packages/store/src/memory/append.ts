import { formatRunId, type RunId } from '@signalbox/engine';
import type { AppendResult, Commit, CommitPart } from '../contract/journal.ts';
import { StoreError } from '../errors.ts';
import { entriesTaken, nameOf, requestedKeys, takenKeys } from '../taken-keys.ts';
import { validateCommit } from '../validate-commit.ts';
import { copyEnd, copyGroup, copyId, copyRun } from './copy.ts';
import { forgetInboxEntry, putInbox } from './inbox.ts';
import { findRun } from './runs.ts';
import { requireWritable } from './segments.ts';
import { groupsOf, laneOf, type MemoryState, runsOf } from './state.ts';

export function append(state: MemoryState, commit: Commit): AppendResult {
  validateCommit(commit);
  const partitions = commit.parts.filter((part) => isFenced(state, part)).map((p) => p.partition);
  if (partitions.length > 0) return { kind: 'fenced', partitions };
  const refused = refuseTakenKeys(state, commit);
  if (refused !== null) return refused;
  refuseUnwritableRows(state, commit);
  for (const { tenant, key, run, atMs } of requestedKeys(commit)) {
    const name = nameOf({ tenant, key });
    const held = state.keys.get(name);
    // A claim of the run that has the key already changes nothing.
    if (held !== undefined && held.entry === null) continue;
    state.keys.set(name, { tenant, key, run: copyId(run), entry: null, atMs });
  }
  for (const part of commit.parts) write(state, commit.commitId, part);
  return { kind: 'committed' };
}

/** I9: only the newest epoch writes, and only at the next seq. */
function isFenced(state: MemoryState, part: CommitPart): boolean {
  const owned = state.ownership.get(part.partition);
  if (owned === undefined || owned.lease.epoch !== part.epoch) return true;
  if (part.seq > owned.lastSeq + 1) {
    throw new StoreError(
      'invalid',
      `seq ${part.seq} leaves a gap after ${owned.lastSeq} in partition ${part.partition}`,
    );
  }
  return part.seq <= owned.lastSeq;
}

/** I2. */
function refuseTakenKeys(state: MemoryState, commit: Commit): AppendResult | null {
  const requested = requestedKeys(commit);
  const stored = requested.flatMap((key) => state.keys.get(nameOf(key)) ?? []);
  return takenKeys(requested, stored, entriesTaken(commit));
}

function refuseUnwritableRows(state: MemoryState, commit: Commit): void {
  const runs = new Set<string>();
  const ends = new Set<string>();
  for (const part of commit.parts) {
    for (const run of part.runs) {
      requireWritable(state, run.id);
      const stored = findRun(state, run)?.run ?? null;
      refuseRepeat({ names: runs, row: run, isKnown: stored !== null, what: 'run' });
    }
    for (const end of part.ends) {
      requireWritable(state, end.id);
      const stored = findRun(state, end)?.end ?? null;
      refuseRepeat({ names: ends, row: end, isKnown: stored !== null, what: 'end of run' });
    }
    for (const parked of part.parked) requireWritable(state, parked.id);
  }
}

/** A row is written once (I3): a second one could only contradict the first. */
function refuseRepeat(params: {
  names: Set<string>;
  row: { tenant: string; id: RunId };
  isKnown: boolean;
  what: string;
}): void {
  const { ms, partition, seq } = params.row.id;
  const name = `${params.row.tenant}\0${ms}.${partition}.${seq}`;
  if (params.isKnown || params.names.has(name)) {
    throw new StoreError('invalid', `${params.what} ${formatRunId(params.row.id)} already exists`);
  }
  params.names.add(name);
}

function write(state: MemoryState, commitId: string, part: CommitPart): void {
  const { partition, seq, epoch, atMs, factCount, body } = part;
  groupsOf(state, partition).insert(
    copyGroup({ partition, seq, epoch, commitId, atMs, factCount, body }),
  );
  const owned = state.ownership.get(partition);
  if (owned !== undefined) state.ownership.set(partition, { ...owned, lastSeq: seq });
  for (const row of part.runs) {
    const run = copyRun(row);
    const entry = findRun(state, run);
    if (entry === undefined) runsOf(state, run.tenant).insert({ id: run.id, run, end: null });
    else entry.run = run;
  }
  for (const row of part.ends) {
    const end = copyEnd(row);
    const entry = findRun(state, end);
    if (entry === undefined) runsOf(state, end.tenant).insert({ id: end.id, run: null, end });
    else entry.end = end;
  }
  for (const { lane, sort, id, tenant } of part.parked) {
    // Parking a run again at the same place is a no-op: the list refuses the repeat.
    laneOf(state, partition, lane).rows.insert({ sort, id: copyId(id), tenant });
  }
  for (const { tenant, key, run } of part.aliases) {
    const name = nameOf({ tenant, key });
    if (state.keys.has(name)) continue;
    state.keys.set(name, { tenant, key, run: copyId(run), entry: null, atMs });
  }
  for (const id of part.inboxTaken) forgetInboxEntry(state, id);
  for (const entry of part.inboxPut ?? []) {
    if (!state.inbox.has(entry.id)) putInbox(state, entry);
  }
}
