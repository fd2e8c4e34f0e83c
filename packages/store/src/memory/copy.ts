import type { RunId } from '@signalbox/engine';
import type { Checkpoint } from '../contract/checkpoints.ts';
import type { InboxEntry } from '../contract/inbox.ts';
import type { Group, GroupHead } from '../contract/journal.ts';
import type { EndRow, RunRow } from '../contract/runs.ts';
import type { LogLineRow } from '../log-lines.ts';

/*
 * Rows are copied on the way in and on the way out: a disk does not change when a caller reuses an
 * object, and the oracle must not either.
 */

export function copyBytes(bytes: Uint8Array): Uint8Array {
  // Not `slice`: on a Buffer that is a view of the same memory.
  return new Uint8Array(bytes);
}

export function copyId(id: RunId): RunId {
  return { ms: id.ms, partition: id.partition, seq: id.seq };
}

export function copyRun(run: RunRow, withInput = true): RunRow {
  return {
    id: copyId(run.id),
    tenant: run.tenant,
    job: run.job,
    jobVersion: run.jobVersion,
    class: run.class,
    head: run.head,
    input: run.input === null || !withInput ? null : copyBytes(run.input),
    inputBytes: run.inputBytes,
    keys: [...run.keys],
  };
}

export function copyEnd(end: EndRow): EndRow {
  return {
    id: copyId(end.id),
    tenant: end.tenant,
    state: end.state,
    endedAtMs: end.endedAtMs,
    detail: end.detail,
    output: end.output === null ? null : copyBytes(end.output),
  };
}

export function copyGroupHead(group: GroupHead): GroupHead {
  return {
    partition: group.partition,
    seq: group.seq,
    epoch: group.epoch,
    commitId: group.commitId,
    atMs: group.atMs,
    factCount: group.factCount,
  };
}

export function copyGroup(group: Group): Group {
  return { ...copyGroupHead(group), body: copyBytes(group.body) };
}

export function copyCheckpoint(checkpoint: Checkpoint): Checkpoint {
  return {
    partition: checkpoint.partition,
    epoch: checkpoint.epoch,
    seq: checkpoint.seq,
    chunks: checkpoint.chunks.map(copyBytes),
  };
}

export function copyInboxEntry(entry: InboxEntry): InboxEntry {
  return {
    id: entry.id,
    partition: entry.partition,
    kind: entry.kind,
    tenant: entry.tenant,
    job: entry.job,
    class: entry.class,
    head: entry.head,
    input: entry.input === null ? null : copyBytes(entry.input),
    key: entry.key,
    atMs: entry.atMs,
  };
}

export function copyLogLine(line: LogLineRow): LogLineRow {
  return {
    tenant: line.tenant,
    run: copyId(line.run),
    task: line.task,
    attempt: line.attempt,
    number: line.number,
    atMs: line.atMs,
    stream: line.stream,
    text: line.text,
  };
}
