import type { RunId } from '@signalbox/engine';
import type { AuditEntry } from '../audit-chain.ts';
import type { InboxEntry } from '../contract/inbox.ts';
import type { CommitPart } from '../contract/journal.ts';
import type { ParkedRow } from '../contract/parked.ts';
import type { EndRow, RunRow } from '../contract/runs.ts';
import type { LogLineRow } from '../log-lines.ts';

/** Rows with every field set, so that a store that forgets one is caught by a plain comparison. */

export function part(
  content: Partial<CommitPart> & { partition: number; epoch: number; seq: number },
): CommitPart {
  return {
    atMs: 1_700_000_000_000,
    body: bytes('facts'),
    factCount: 1,
    runs: [],
    ends: [],
    parked: [],
    inboxTaken: [],
    aliases: [],
    ...content,
  };
}

export function runRow(id: RunId, content: Partial<RunRow> = {}): RunRow {
  const input = content.input === undefined ? bytes(`input ${id.seq}`) : content.input;
  return {
    id,
    tenant: 'acme',
    job: 'report',
    jobVersion: 3,
    class: 1,
    head: '{"labels":["ä","😀"]}',
    inputBytes: input?.length ?? 0,
    keys: [],
    ...content,
    input,
  };
}

export function endRow(run: { id: RunId; tenant: string }, content: Partial<EndRow> = {}): EndRow {
  return {
    id: run.id,
    tenant: run.tenant,
    state: 'SUCCEEDED',
    endedAtMs: run.id.ms + 5,
    detail: '{"attempts":1}',
    output: bytes(`output ${run.id.seq}`),
    ...content,
  };
}

export function parkedRow(
  run: { id: RunId; tenant: string },
  content: Partial<ParkedRow> = {},
): ParkedRow {
  return { lane: 'P1/acme', sort: run.id.seq, tenant: run.tenant, id: run.id, ...content };
}

export function inboxEntry(id: string, content: Partial<InboxEntry> = {}): InboxEntry {
  return {
    id,
    partition: 1,
    kind: 'submission',
    tenant: 'acme',
    job: 'report',
    class: 2,
    head: '{"by":"sql"}',
    input: bytes(`input of ${id}`),
    key: `key of ${id}`,
    atMs: 1_700_000_000_000,
    ...content,
  };
}

export function logLine(run: RunId, content: Partial<LogLineRow> = {}): LogLineRow {
  const { task = 0, attempt = 1, number = 0 } = content;
  return {
    tenant: 'acme',
    run,
    task,
    attempt,
    number,
    atMs: 1_700_000_000_000 + number,
    stream: 'stdout',
    text: `line ${task}/${attempt}/${number}: ä 😀\t"\\`,
    ...content,
  };
}

export function auditEntry(content: Partial<AuditEntry> = {}): AuditEntry {
  return {
    tenant: 'acme',
    actor: 'key:ann',
    ip: '192.0.2.7',
    action: 'job.delete',
    target: 'job:report',
    before: '{"name":"ä 😀","quote":"\\""}',
    after: null,
    reason: 'no longer needed',
    ...content,
  };
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
