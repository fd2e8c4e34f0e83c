import type { Book } from '../model/book.ts';
import type { RunGraph } from '../model/graph.ts';
import { DUE_LANE, type Lane } from '../model/lane.ts';
import type { Run, Task } from '../model/run.ts';
import type { Schedule } from '../model/schedule.ts';

/**
 * Everything that a book says, in one canonical form: what must be equal however the book came
 * about. Ready is written as PENDING, because readiness is derived and a fold without a clock
 * cannot know it; inputs are left out, because memory may or may not hold them.
 */
export function dumpBook(book: Book): unknown {
  return {
    partition: book.partition,
    nextSeq: book.nextSeq,
    lastMs: book.lastMs,
    nextToken: book.nextToken,
    lanes: [...book.lanes.values()]
      .sort(byName)
      .map((lane) => dumpLane(book, lane))
      .filter(isUsed),
    uniques: [...book.uniques].map(([key, run]) => [key, run.seq]).sort(),
    runs: [...book.runs.values()].sort((a, b) => a.seq - b.seq).map(dumpRun),
    ...dumpSchedules(book),
    ...(book.notifications.size === 0 ? {} : { notifications: [...book.notifications].sort() }),
  };
}

interface LaneDump extends Omit<Lane, 'taken'> {
  readonly taken: readonly number[];
}

function isUsed(lane: LaneDump): boolean {
  return lane.parked > 0 || lane.cursor !== null || lane.taken.length > 0;
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

function dumpLane(book: Book, lane: Lane): LaneDump {
  const { name, parked } = lane;
  // Before every run is the same as none: an owner that makes its pages void has the former.
  const cursor = lane.cursor?.sort === 0 && lane.cursor.seq === 0 ? null : lane.cursor;
  const taken = [...(lane.taken ?? [])].filter((seq) => isAhead(book, lane, seq));
  return { name, parked, cursor, taken: taken.sort((a, b) => a - b) };
}

/** A taken run matters while it lives and the cursor has yet to pass it. */
function isAhead(book: Book, { name, cursor }: Lane, seq: number): boolean {
  const run = book.runs.get(seq);
  if (run === undefined) return false;
  if (cursor === null) return true;
  const sort = name === DUE_LANE ? (run.head.dueAt ?? 0) : seq;
  return sort > cursor.sort || (sort === cursor.sort && seq > cursor.seq);
}

/** Absent where there are none, as in what was written down before there were any. */
function dumpSchedules(book: Book): Record<string, unknown> {
  if (book.schedules.size + book.removedSchedules.size === 0) return {};
  return {
    removedSchedules: [...book.removedSchedules].sort(),
    schedules: [...book.schedules.values()].sort(byName).map(dumpSchedule),
    exclusiveRuns: [...book.windowRuns].map(([seq, { name }]) => [seq, name]).sort(),
  };
}

function dumpSchedule(schedule: Schedule): unknown {
  const { tenant, name, version, spec, decidedUpTo, firedCount, lastFiredAt } = schedule;
  return {
    ...{ tenant, name, version, spec, decidedUpTo, firedCount, lastFiredAt },
    held: schedule.held ?? [],
    live: [...(schedule.live ?? [])].sort((a, b) => a - b),
    skips: schedule.skips ?? [],
    ...(schedule.earlier === null ? {} : { earlier: schedule.earlier }),
    ...((schedule.met?.size ?? 0) === 0 ? {} : { met: [...(schedule.met ?? [])].sort() }),
    ...(schedule.gaveUp === null ? {} : { gaveUp: schedule.gaveUp }),
  };
}

export function dumpRun(run: Run): unknown {
  return {
    seq: run.seq,
    ms: run.ms,
    job: [run.spec.tenant, run.spec.job, run.spec.version],
    head: run.head,
    class: run.class,
    inputBytes: run.inputBytes,
    state: run.state,
    openTasks: run.openTasks,
    cancel: run.cancel,
    doomed: run.doomed,
    tasks: run.tasks.map(dumpTask),
    ...dumpGraph(run),
  };
}

/** Absent where there is none, as in what was written down before there were any. */
function dumpGraph({ graph }: Run): Record<string, unknown> {
  if (graph === null) return {};
  const { paused, fanOutMax, growth } = graph;
  const events = dumpEvents(graph);
  const isPlain = paused === null && fanOutMax === 0 && growth.length === 0;
  return isPlain ? events : { graph: { paused, fanOutMax, growth }, ...events };
}

function dumpEvents({ events }: RunGraph): Record<string, unknown> {
  if (events === null) return {};
  const kept = events.kept.map((each) => ({ ...each, event: [...each.event] }));
  return { events: { taken: [...events.taken].sort(), kept } };
}

function dumpPart({ part }: Task): Record<string, unknown> {
  if (part === null) return {};
  const { blocked, partition, firstChild, childCount, childrenFailed, waitsSince } = part;
  const waited = part.waitedUntil === 0 ? {} : { waitedUntil: part.waitedUntil };
  const said = { blocked, partition, childCount, childrenFailed, waitsSince, ...waited };
  const edges = [part.addedBefore, part.addedAfter];
  const isPlain =
    Object.values(said).every((n) => n === 0) &&
    firstChild < 0 &&
    part.failedBy === null &&
    !edges.some(Boolean);
  const nested = part.nested === null ? {} : { nested: part.nested };
  const failed = part.failedBy === null ? {} : { failedBy: part.failedBy };
  const whole = { ...said, ...nested, ...failed, firstChild, edges, group: part.group?.index };
  return isPlain ? {} : { part: whole };
}

function dumpTask(task: Task): unknown {
  const { attempt } = task;
  return {
    state: task.state === 'QUEUED' ? 'PENDING' : task.state,
    waitsFor: task.waitsFor,
    dueAt: task.dueAt,
    attempts: task.attempts,
    charged: task.charged,
    shape: task.shape.key,
    lastWorker: task.lastWorker,
    error: task.error,
    ...dumpPart(task),
    checkpoint: task.checkpoint && [...task.checkpoint],
    output: task.output && [...task.output],
    history: task.history ?? [],
    attempt: attempt && {
      number: attempt.number,
      epoch: attempt.epoch,
      token: attempt.token,
      worker: attempt.workerName,
      shape: attempt.shape.key,
      assignedAt: attempt.assignedAt,
      startedAt: attempt.startedAt,
      hardAt: attempt.hardAt,
    },
  };
}
