import { type Class, type RunId, readRunId, writeRunId } from '@signalbox/engine';
import type { AuditRow } from '../audit-chain.ts';
import type { InboxEntry } from '../contract/inbox.ts';
import type { Group, GroupHead } from '../contract/journal.ts';
import type { EndRow, RunRow } from '../contract/runs.ts';
import { payloadChecksum } from '../damage/checksum.ts';
import { verify } from '../damage/damaged-rows.ts';
import {
  definitionChecksum,
  endChecksum,
  groupChecksum,
  inboxChecksum,
  runChecksum,
} from '../damage/row-checksums.ts';
import type { Definition } from '../definition.ts';
import type { Lease } from '../lease.ts';
import type { LogLineRow } from '../log-lines.ts';
import type { Row } from './database.ts';

export function idBytes(id: RunId): Uint8Array {
  const bytes = new Uint8Array(16);
  writeRunId(bytes, 0, id.ms, id.partition, id.seq);
  return bytes;
}

export function toId(value: unknown): RunId {
  return readRunId(value as Uint8Array);
}

/** Most runs have no key, and the empty text costs nothing to write or to read. */
export function keysText(keys: readonly string[]): string {
  return keys.length === 0 ? '' : JSON.stringify(keys);
}

/** This and the functions `to…` below throw if the row does not match its checksum. */
export function toRun(row: Row): RunRow {
  const run = runOf(row);
  verify(checksumOf(row, 'run_checksum'), () => runChecksum(run, row['keys'] as string));
  if ('input_checksum' in row) {
    verify(checksumOf(row, 'input_checksum'), () => payloadChecksum(run.input));
  }
  return run;
}

/** The functions `…Of` read rows without their checksums. */
export function runOf(row: Row): RunRow {
  const keys = row['keys'] as string;
  return {
    id: toId(row['id']),
    tenant: row['tenant'] as string,
    job: row['job'] as string,
    jobVersion: row['job_version'] as number,
    class: row['priority'] as Class,
    head: row['head'] as string,
    input: row['input'] as Uint8Array | null,
    inputBytes: row['input_bytes'] as number,
    keys: keys === '' ? [] : (JSON.parse(keys) as string[]),
  };
}

function checksumOf(row: Row, name: string): number | null {
  return row[name] as number | null;
}

/** The end in a row of a run joined with its end, or null where the join found none. */
export function toEnd(row: Row): EndRow | null {
  if (row['state'] === null) return null;
  const end = endOf(row);
  verify(checksumOf(row, 'end_checksum'), () => endChecksum(end));
  if ('output_checksum' in row) {
    verify(checksumOf(row, 'output_checksum'), () => payloadChecksum(end.output));
  }
  return end;
}

export function endOf(row: Row): EndRow {
  return {
    id: toId(row['id']),
    tenant: row['tenant'] as string,
    state: row['state'] as string,
    endedAtMs: row['ended_at_ms'] as number,
    detail: row['detail'] as string,
    output: row['output'] as Uint8Array | null,
  };
}

export function toGroupHead(row: Row): GroupHead {
  return {
    partition: row['partition'] as number,
    seq: row['seq'] as number,
    epoch: row['epoch'] as number,
    commitId: row['commit_id'] as string,
    atMs: row['at_ms'] as number,
    factCount: row['fact_count'] as number,
  };
}

export function toGroup(row: Row): Group {
  const group = groupOf(row);
  verify(checksumOf(row, 'checksum'), () => groupChecksum(group));
  return group;
}

export function groupOf(row: Row): Group {
  return { ...toGroupHead(row), body: row['body'] as Uint8Array };
}

export function toLease(row: Row): Lease {
  return {
    partition: row['partition'] as number,
    owner: row['owner'] as string,
    epoch: row['epoch'] as number,
    expiresAtMs: row['expires_at_ms'] as number,
  };
}

export function toInboxEntry(row: Row): InboxEntry {
  const entry = inboxEntryOf(row);
  verify(checksumOf(row, 'checksum'), () => inboxChecksum(entry));
  return entry;
}

export function inboxEntryOf(row: Row): InboxEntry {
  return {
    id: row['id'] as string,
    partition: row['partition'] as number,
    kind: row['kind'] as InboxEntry['kind'],
    tenant: row['tenant'] as string,
    job: row['job'] as string,
    class: row['priority'] as Class,
    head: row['head'] as string,
    input: row['input'] as Uint8Array | null,
    key: row['key'] as string | null,
    atMs: row['at_ms'] as number,
  };
}

export function toDefinition(row: Row): Definition {
  const definition = definitionOf(row);
  verify(checksumOf(row, 'checksum'), () => definitionChecksum(definition) + definition.atMs);
  return definition;
}

export function definitionOf(row: Row): Definition {
  return {
    tenant: row['tenant'] as string,
    kind: row['kind'] as string,
    name: row['name'] as string,
    version: row['version'] as number,
    body: row['body'] as string,
    author: row['author'] as string,
    atMs: row['at_ms'] as number,
    deleted: row['deleted'] === 1,
  };
}

export function toLogLine(row: Row): LogLineRow {
  return {
    tenant: row['tenant'] as string,
    run: toId(row['run']),
    task: row['task'] as number,
    attempt: row['attempt'] as number,
    number: row['number'] as number,
    atMs: row['at_ms'] as number,
    stream: row['stream'] as string,
    text: row['text'] as string,
  };
}

export function toAuditRow(row: Row): AuditRow {
  return {
    tenant: row['tenant'] as string,
    number: row['number'] as number,
    atMs: row['at_ms'] as number,
    actor: row['actor'] as string,
    ip: row['ip'] as string,
    action: row['action'] as string,
    target: row['target'] as string,
    before: row['before'] as string | null,
    after: row['after'] as string | null,
    reason: row['reason'] as string,
    hash: row['hash'] as string,
  };
}
