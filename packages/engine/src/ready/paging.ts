import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { makeRunReady } from '../core/enqueue.ts';
import { isCrowded } from '../core/is-crowded.ts';
import { runsPagedIn, type SubmittedRun } from '../facts/facts.ts';
import type { Book } from '../model/book.ts';
import {
  DUE_LANE,
  type Lane,
  type LaneCursor,
  parseQueueLane,
  type QueueLane,
} from '../model/lane.ts';
import type { Run, RunHead } from '../model/run.ts';

/** A page of parked runs that memory has room for. */
export interface PageWanted {
  readonly partition: number;
  readonly lane: string;
  readonly after: LaneCursor | null;
  /** Only runs that sort up to here. */
  readonly upTo: number;
  readonly limit: number;
  /** Inputs that memory has room for; with 0 the runs come without, and an input is read when it is needed. */
  readonly bytes: number;
}

/** The most bytes that one page brings: it is decoded in one go, and everything else waits for that. */
const PAGE_BYTES_MAX = 8_388_608;

/**
 * Lanes whose queue in memory has run low, most urgent class first, and due times that have come
 * within the horizon. The loop reads them and hands them back with `pageIn`; a lane is asked for
 * again only after its answer (`pending`).
 */
export function pagesWanted(
  core: Core,
  pending: (partition: number, lane: string) => boolean,
): PageWanted[] {
  const wanted: PageWanted[] = [];
  for (const book of core.books.values()) {
    let bytesLeft = core.settings.inputBytesMax - book.inputBytes;
    for (const lane of book.lanes.values()) {
      if (lane.parked === 0) continue;
      if (pending(book.partition, lane.name)) {
        bytesLeft -= PAGE_BYTES_MAX;
        continue;
      }
      const page = lane.name === DUE_LANE ? duePage(core, book) : queuePage(core, lane.name);
      if (page === null) continue;
      const { partition } = book;
      const bytes = Math.max(0, Math.min(bytesLeft, PAGE_BYTES_MAX));
      bytesLeft -= bytes;
      wanted.push({ partition, lane: lane.name, after: lane.cursor, ...page, bytes });
    }
  }
  return wanted.sort((a, b) => (a.lane < b.lane ? -1 : a.lane > b.lane ? 1 : 0));
}

/** How many pages' worth a queue gets at once while its class has room. */
const PAGES_AT_ONCE = 4;

/**
 * While the class has room in memory, a queue is filled up in large pages: one tenant alone must
 * drain as fast as many. In a crowd each gets a page when half of one is left, or the sum over
 * thousands of tenants would be the memory that parking saves.
 *
 * What counts is what memory holds of the lane's own shape: a window full of tasks that fit no worker
 * must not keep out the ones that do. Each shape has a page in memory at least.
 */
function queuePage(core: Core, laneName: string): { upTo: number; limit: number } | null {
  const { queueWindow, pageSize } = core.settings;
  const lane = parseQueueLane(laneName) as QueueLane;
  const owner = core.ofTenant(lane.tenant, lane.class);
  const queued = owner.queuedOf(lane.shape);
  const all = { upTo: Number.MAX_SAFE_INTEGER };
  const isFull = owner.queued > queueWindow - pageSize || isCrowded(core, lane.class);
  if (isFull) return queued > pageSize / 2 ? null : { ...all, limit: pageSize };
  return { ...all, limit: Math.min(queueWindow - owner.queued, pageSize * PAGES_AT_ONCE) };
}

/** The due lane is read once per tenth of the horizon, long before anything in it can be due. */
function duePage(core: Core, book: Book): { upTo: number; limit: number } | null {
  const { horizonMs, pageSize } = core.settings;
  if (core.now < book.dueReadAt + horizonMs / 10) return null;
  return { upTo: core.now + horizonMs, limit: pageSize };
}

/**
 * Takes a page in. The number of parked runs is exact: whatever a page brings that is not known yet
 * leaves the count, and only that. Guessing zero from an empty page would lose a run that was
 * parked while the page was being read.
 */
export function pageIn(core: Core, command: Command & { kind: 'pageIn' }): Answer {
  const book = core.books.get(command.partition);
  const lane = book?.lanes.get(command.lane);
  if (book === undefined || lane === undefined) return DONE;
  // A page of an earlier reading may hold runs that have come and gone since; taking it in would
  // bring finished work back to life.
  if (lane.cursor !== command.after) return DONE;
  if (lane.name === DUE_LANE && command.exhausted) book.dueReadAt = core.now;
  const runs = command.runs.filter((run) => !isKnown(book, lane, run.seq));
  const cursor = command.cursor ?? lane.cursor;
  if (runs.length === 0 && cursor === lane.cursor) {
    tidyDueLane(core, book, lane);
    return DONE;
  }
  const parkedLeft = Math.max(0, lane.parked - runs.length);
  const fact = { partition: book.partition, lane: lane.name, cursor, parkedLeft, runs };
  core.emit(book, runsPagedIn(fact), null);
  for (const run of command.runs) lane.taken?.delete(run.seq);
  for (const run of runs) arrive(core, book, run);
  tidyDueLane(core, book, lane);
  return DONE;
}

/** Before every due time. */
const BEGINNING: LaneCursor = { sort: 0, ms: 0, seq: 0 };

/**
 * Forgets runs that were taken out of the due lane alone and ended: somebody who cancels far due times day by
 * day would otherwise leave every one of them in memory and in each checkpoint. The store leaves them out
 * of what is read from now on, since the due lane is read when everything decided is durable. A page that
 * is on its way may still hold them, so it is void, with the cursor that it was read from.
 */
function tidyDueLane(core: Core, book: Book, lane: Lane): void {
  const { taken } = lane;
  if (lane.name !== DUE_LANE || taken === null) return;
  if (core.now < book.dueTidiedAt + core.settings.horizonMs / 10) return;
  book.dueTidiedAt = core.now;
  if (book.dueEnded.length > 0) lane.cursor = { ...(lane.cursor ?? BEGINNING) };
  for (const seq of book.dueEnded) taken.delete(seq);
  book.dueEnded = [...taken].filter((seq) => !book.runs.has(seq));
  if (taken.size === 0) lane.taken = null;
}

/** Brings in one parked run out of turn, because somebody wants to cancel or move it. */
export function fetchIn(core: Core, command: Command & { kind: 'fetchIn' }): Answer {
  const book = core.books.get(command.partition);
  const lane = book?.lanes.get(command.lane);
  if (book === undefined || lane === undefined) return DONE;
  // Before the cursor it has been paged in already: if it is not live, it has ended.
  if (isKnown(book, lane, command.run.seq) || isPassed(lane, command.run)) return DONE;
  const fact = {
    partition: book.partition,
    lane: lane.name,
    cursor: lane.cursor,
    parkedLeft: Math.max(0, lane.parked - 1),
    runs: [command.run],
  };
  core.emit(book, runsPagedIn(fact), null);
  arrive(core, book, command.run);
  tidyDueLane(core, book, lane);
  return DONE;
}

function isKnown(book: Book, lane: Lane, seq: number): boolean {
  return book.runs.has(seq) || (lane.taken?.has(seq) ?? false);
}

/** Whether the run still waits in the store, as far as its owner knows. */
export function isParked(
  book: Book,
  run: { readonly seq: number; readonly head: RunHead },
): boolean {
  const lane = book.lanes.get(run.head.lane ?? '');
  return lane !== undefined && !isKnown(book, lane, run.seq) && !isPassed(lane, run);
}

function isPassed(lane: Lane, run: { readonly seq: number; readonly head: RunHead }): boolean {
  const { cursor } = lane;
  if (cursor === null) return false;
  const sort = lane.name === DUE_LANE ? (run.head.dueAt ?? 0) : run.seq;
  return sort - cursor.sort < 0 || (sort === cursor.sort && run.seq <= cursor.seq);
}

function arrive(core: Core, book: Book, submitted: SubmittedRun): void {
  const run = book.runs.get(submitted.seq) as Run;
  run.groupNumber = core.groupNumber;
  // It has been ready since it was submitted: beside a lane of another shape its place is by that time.
  if (submitted.head.lane !== DUE_LANE) {
    for (const task of run.tasks) if (task.waitsFor === 0) task.order = core.takeOrder(run.ms);
  }
  makeRunReady(core, run.tasks);
}
