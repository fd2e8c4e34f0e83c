import { addRun } from '../facts/fold.ts';
import { decodeText, encodeText } from '../facts/text.ts';
import type { AsideRun } from '../model/aside-run.ts';
import type { Book } from '../model/book.ts';
import type { Class } from '../model/classes.ts';
import { childrenOf, isRunFailure, parentEnded, partOf } from '../model/graph.ts';
import type { Lane } from '../model/lane.ts';
import { Attempt, type AttemptRecord, type Run, type RunHead, type Task } from '../model/run.ts';
import { withMemory } from '../model/shape.ts';
import type { JobSpec } from '../model/spec.ts';
import { isTerminalTask, type RunState, type TaskState } from '../model/states.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { type AsideLine, asideLines, decodeAside } from './checkpoint-aside.ts';
import {
  decodeGraph,
  decodeNotification,
  type GraphLine,
  graphLine,
  isNotificationLine,
  notificationLines,
} from './checkpoint-graph.ts';
import { decodeSchedule, isScheduleLine, scheduleLines } from './checkpoint-schedule.ts';

/**
 * A checkpoint is a book without its history and without inputs: proportional to live work, which
 * is all that a take-over has to read. JSON lines in chunks of about a megabyte; payloads that
 * tasks saved are written as base64, because they are rare.
 */
const CHUNK_CHARS = 1_000_000;
/** Format 1 knows no schedules, 2 no graphs that pause, grow or wait, 3 no ids of nested runs. */
const FORMAT = 4;

/** Finds the job version of a live run; null where it cannot be read. */
export type FindSpec = (tenant: string, job: string, version: number) => JobSpec | null;

export interface JobVersion {
  readonly tenant: string;
  readonly job: string;
  readonly version: number;
}

type Header = [
  format: number,
  nextSeq: number,
  lastMs: number,
  nextToken: number,
  specs: [string, string, number][],
  lanes: [string, number, [number, number, number] | null, number[]][],
  /** Only where there are any. */
  aside?: AsideLine[],
];

type AttemptLine = [
  number: number,
  epoch: number,
  token: number,
  worker: string,
  assignedAt: number,
  startedAt: number,
  hardAt: number,
];
type RecordLine = [number, string, number, number, number, string];
type TaskLine = [
  state: TaskState,
  dueAt: number,
  attempts: number,
  charged: number,
  memoryMb: number,
  lastWorker: string | null,
  error: string | null,
  attempt: AttemptLine | null,
  history: RecordLine[] | null,
  checkpoint: string | null,
  output: string | null,
  /** Since when it waits for something outside; absent where it does not. */
  waitsSince?: number,
  waitedUntil?: number,
  /** The nested run that it waits for, once that was accepted. */
  nested?: string | null,
  /** Why it failed without an attempt. */
  failedBy?: string,
];
type RunLine = [
  seq: number,
  ms: number,
  spec: number,
  klass: Class,
  inputBytes: number,
  head: RunHead | 0,
  state: RunState | 0,
  cancel: [string, string] | 0,
  tasks: TaskLine[] | 0,
  graph?: GraphLine,
];

export function encodeCheckpoint(book: Book): Uint8Array[] {
  const specs = new Map<JobSpec, number>();
  // What one request submits often has one and the same head, which is then written down once.
  let head: RunHead | null = null;
  let headText = '';
  const chunks: string[] = [];
  let chunk = '';
  const add = (line: string): void => {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_CHARS) return;
    chunks.push(chunk);
    chunk = '';
  };
  for (const line of scheduleLines(book)) add(line);
  for (const line of notificationLines(book)) add(line);
  for (const run of book.runs.values()) {
    let spec = specs.get(run.spec);
    if (spec === undefined) {
      spec = specs.size;
      specs.set(run.spec, spec);
    }
    if (run.head !== head) headText = encodeHead(run.head);
    head = run.head;
    add(encodeRun(run, spec, headText));
  }
  if (chunk !== '') chunks.push(chunk);
  const header: Header = [
    FORMAT,
    book.nextSeq,
    book.lastMs,
    book.nextToken,
    [...specs.keys()].map((s) => [s.tenant, s.job, s.version]),
    [...book.lanes.values()]
      .filter((lane) => lane.parked > 0 || lane.cursor !== null || lane.taken !== null)
      .map(laneLine),
  ];
  if (book.aside.size > 0) header.push(asideLines(book));
  return [`${JSON.stringify(header)}\n`, ...chunks].map(encodeText);
}

/**
 * Untouched runs of one task, the bulk of any backlog, are six numbers, found without a look at the
 * task: a run leaves PENDING with the first thing that happens to one. A backlog of a hundred
 * thousand lies scattered in memory, and every further object that is touched costs the node as much
 * again, in a turn in which nothing else happens.
 */
function encodeRun(run: Run, spec: number, head: string): string {
  const { graph } = run;
  if (run.state === 'PENDING' && run.cancel === null && !graph) {
    if (run.spec.tasks.length === 1 || run.tasks.every(isFresh)) {
      return `[${run.seq},${run.ms},${spec},${run.class},${run.inputBytes},${head}]`;
    }
  }
  const cancel = run.cancel === null ? 0 : [run.cancel.by, run.cancel.reason];
  const lines = [run.state, cancel, run.tasks.map(taskLine)];
  const rest = JSON.stringify(graph === null ? lines : [...lines, graphLine(graph, run.doomed)]);
  return `[${run.seq},${run.ms},${spec},${run.class},${run.inputBytes},${head},${rest.slice(1)}`;
}

function encodeHead(head: RunHead): string {
  for (const _ in head) return JSON.stringify(head);
  return '0';
}

function isFresh(task: Task): boolean {
  if (task.attempts > 0 || (task.part !== null && task.part.waitsSince > 0)) return false;
  return task.state === 'PENDING' || task.state === 'QUEUED';
}

function taskLine(task: Task): TaskLine {
  const a = task.attempt;
  const line: TaskLine = [
    // Readiness is derived: a task that waits for nothing but a worker is found so again.
    task.state === 'QUEUED' ? 'PENDING' : task.state,
    task.dueAt,
    task.attempts,
    task.charged,
    task.shape === task.spec.shape ? 0 : task.shape.request.memoryMb,
    task.lastWorker,
    task.error,
    a && [a.number, a.epoch, a.token, a.workerName, a.assignedAt, a.startedAt, a.hardAt],
    task.history?.map((r) => [
      r.number,
      r.worker,
      r.assignedAt,
      r.startedAt,
      r.endedAt,
      r.outcome,
    ]) ?? null,
    task.checkpoint && toBase64(task.checkpoint),
    task.output && toBase64(task.output),
  ];
  if (task.part !== null && task.part.waitsSince > 0) {
    const { waitsSince, waitedUntil, nested } = task.part;
    line[11] = waitsSince;
    if (waitedUntil > 0 || nested !== null) line[12] = waitedUntil;
    if (nested !== null) line[13] = nested;
  }
  if (task.part !== null && task.part.failedBy !== null) {
    const { waitsSince, waitedUntil, nested, failedBy } = task.part;
    line[11] = waitsSince;
    line[12] = waitedUntil;
    line[13] = nested;
    line[14] = failedBy;
  }
  return line;
}

function laneLine(lane: Lane): Header[5][number] {
  const c = lane.cursor;
  return [lane.name, lane.parked, c && [c.sort, c.ms, c.seq], [...(lane.taken ?? [])]];
}

/** The job versions that the checkpoint's runs need: to be loaded before it can be read. */
export function checkpointSpecs(chunks: readonly Uint8Array[]): JobVersion[] {
  if (chunks.length === 0) return [];
  const versions = readHeader(chunks)[4].map(([tenant, job, version]) => ({
    tenant,
    job,
    version,
  }));
  for (const { tenant, saved } of asideRuns(chunks)) {
    if (saved !== null) versions.push({ tenant, job: saved.job, version: saved.version });
  }
  return versions;
}

/** The runs that were set aside before the checkpoint was taken. */
export function asideRuns(chunks: readonly Uint8Array[]): AsideRun[] {
  return chunks.length === 0 ? [] : (readHeader(chunks)[6] ?? []).map(decodeAside);
}

function readHeader(chunks: readonly Uint8Array[]): Header {
  return JSON.parse(decodeText(chunks[0] as Uint8Array)) as Header;
}

export function decodeCheckpoint(book: Book, chunks: readonly Uint8Array[], find: FindSpec): void {
  if (chunks.length === 0) return;
  const [format, nextSeq, lastMs, nextToken, specLines, lanes] = readHeader(chunks);
  if (format < 1 || format > FORMAT) throw new RangeError(`unknown checkpoint format ${format}`);
  const specs = specLines.map(([tenant, job, version]) => find(tenant, job, version));
  for (const chunk of chunks.slice(1)) {
    for (const line of decodeText(chunk).split('\n')) {
      if (line === '') continue;
      if (isScheduleLine(line)) decodeSchedule(book, line);
      else if (isNotificationLine(line)) decodeNotification(book, line);
      else decodeRunLine(book, JSON.parse(line) as RunLine, { specs, specLines });
    }
  }
  book.nextSeq = nextSeq;
  book.lastMs = lastMs;
  book.nextToken = nextToken;
  for (const [name, parked, cursor, taken] of lanes) {
    const lane = book.lane(name);
    lane.parked = parked;
    lane.cursor = cursor && { sort: cursor[0], ms: cursor[1], seq: cursor[2] };
    lane.taken = taken.length === 0 ? null : new Set(taken);
  }
}

function decodeRunLine(
  book: Book,
  line: RunLine,
  { specs, specLines }: { specs: readonly (JobSpec | null)[]; specLines: Header[4] },
): void {
  const [seq, ms, index] = line;
  const spec = specs[index] as JobSpec | null;
  if (spec !== null) return decodeRun(book, spec, line);
  const [tenant, job, version] = specLines[index] as Header[4][number];
  book.aside.set(seq, { seq, ms, tenant, saved: { job, version, line }, facts: [] });
}

/** A run that was set aside, whose job version can be read again. */
export function decodeSavedRun(book: Book, spec: JobSpec, line: readonly unknown[]): void {
  decodeRun(book, spec, line as unknown as RunLine);
}

function decodeRun(book: Book, spec: JobSpec, line: RunLine): void {
  const [seq, ms, , klass, inputBytes, head, state, cancel, tasks, graph] = line;
  const run = addRun(book, {
    seq,
    ms,
    spec,
    head: head === 0 ? {} : head,
    class: klass,
    input: null,
    inputBytes,
  });
  if (!tasks) return;
  run.state = state as RunState;
  run.cancel = cancel ? { by: cancel[0], reason: cancel[1] } : null;
  run.doomed = run.cancel !== null;
  if (graph !== undefined) decodeGraph(run, graph);
  run.openTasks = 0;
  for (const [i, task] of run.tasks.entries()) decodeTask(task, tasks[i] as TaskLine);
  for (const task of run.tasks) {
    if (!isTerminalTask(task.state)) run.openTasks++;
    else replayEnd(task);
  }
}

/** Readiness is derived: what the ends of parents mean is worked out again, as when they happened. */
function replayEnd(task: Task): void {
  const { run } = task;
  // A run that goes on with another's work may hold failures that doom nothing; its graph tells.
  if (run.graph === null && isRunFailure(task, task.state)) {
    if (run.spec.graph.failurePolicy === 'FAIL_FAST') run.doomed = true;
  }
  for (const index of childrenOf(task)) parentEnded(run.tasks[index] as Task, task);
}

function decodeTask(task: Task, line: TaskLine): void {
  const [
    state,
    dueAt,
    attempts,
    charged,
    memoryMb,
    lastWorker,
    error,
    attempt,
    history,
    saved,
    output,
    waitsSince,
    waitedUntil,
    nested,
    failedBy,
  ] = line;
  task.state = state;
  task.dueAt = dueAt;
  task.attempts = attempts;
  task.charged = charged;
  if (memoryMb > 0) task.shape = withMemory(task.shape, memoryMb);
  task.lastWorker = lastWorker;
  task.error = error;
  task.history = history?.map(toRecord) ?? null;
  task.checkpoint = saved === null ? null : fromBase64(saved);
  task.output = output === null ? null : fromBase64(output);
  if (waitsSince !== undefined) partOf(task).waitsSince = waitsSince;
  if (waitedUntil !== undefined) partOf(task).waitedUntil = waitedUntil;
  if (nested !== undefined) partOf(task).nested = nested;
  if (failedBy !== undefined) partOf(task).failedBy = failedBy;
  if (attempt === null) return;
  const [number, epoch, token, workerName, assignedAt, startedAt, hardAt] = attempt;
  task.attempt = new Attempt({
    task,
    number,
    epoch,
    token,
    workerName,
    shape: task.shape,
    assignedAt,
  });
  task.attempt.startedAt = startedAt;
  task.attempt.hardAt = hardAt;
}

function toRecord([
  number,
  worker,
  assignedAt,
  startedAt,
  endedAt,
  outcome,
]: RecordLine): AttemptRecord {
  return { number, worker, assignedAt, startedAt, endedAt, outcome };
}
