import type { Answer, Command } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { makeRunReady } from '../core/enqueue.ts';
import { isCrowded } from '../core/is-crowded.ts';
import { groupOfKey, holderOfKey, takeKey } from '../core/take-key.ts';
import { runSubmitted, type SubmittedRun } from '../facts/facts.ts';
import { taskFannedOut, tasksAdded, tasksTakenOver } from '../facts/graph-facts.ts';
import { type Book, uniqueKey } from '../model/book.ts';
import type { Class } from '../model/classes.ts';
import { DUE_LANE, queueLane } from '../model/lane.ts';
import type { Run, RunHead } from '../model/run.ts';
import type { TaskSpec } from '../model/spec.ts';

type Submit = Command & { kind: 'submit' };

/**
 * Accepts a run. DUR-06: a key that memory still knows is answered with its run; one that only the
 * store knows is refused by the store and withdrawn. DUR-07: a live run with the same unique value
 * is answered instead of making a second one. A run or a key that is provisional must not be compared
 * with: `awaitedGroup` says what to wait for.
 */
export function submit(core: Core, command: Submit): Answer {
  const book = core.books.get(command.partition);
  if (book === undefined) return NOT_OWNER;
  const ofKey = holderOfKey(core, command);
  if (ofKey !== undefined) return { kind: 'duplicate', ...ofKey };
  const live = equalLiveRun(book, command);
  if (live !== undefined) return duplicateOf(core, command, live);
  const { spec } = command;
  const head = spec.exclusive ? { ...command.head, ...onlyRun(command) } : command.head;

  const klass = command.class ?? spec.class;
  const parked = parkingPlace(core, book, { command, class: klass });
  const run: SubmittedRun = {
    seq: book.nextSeq,
    // Ids never fall, even if the clock does: a range of ids stays a range of time.
    ms: Math.max(core.now, book.lastMs),
    spec,
    head: parked === null ? head : { ...head, lane: parked.lane },
    class: klass,
    input: command.input,
    inputBytes: command.input?.length ?? 0,
  };
  core.emit(book, runSubmitted({ partition: book.partition, run, parked }), null);
  const holder = { partition: book.partition, seq: run.seq, ms: run.ms };
  takeKey(core, command, holder);
  const made = parked === null ? book.runs.get(run.seq) : undefined;
  if (made !== undefined) {
    made.groupNumber = core.groupNumber;
    if (head.key !== undefined || head.inbox !== undefined) made.provisionalIn = core.groupNumber;
    if (command.takeOver !== undefined) takeOver(core, book, { ...command.takeOver, run: made });
    makeRunReady(core, made.tasks);
  }
  return { kind: 'accepted', ...holder };
}

/** The key goes to the live run as well, or sent again after that one's end it would be another. */
function duplicateOf(core: Core, command: Submit, live: Run): Answer {
  const { partition, seq, ms } = live;
  takeKey(core, command, { partition, seq, ms });
  return { kind: 'duplicate', partition, seq, ms };
}

/** No user may write it. */
const ONLY_RUN = '\u0001only';

/**
 * TRG-27: of a job that excludes overlap every run has the same unique value, so that the second one
 * is answered with the first. Backfilled windows are somebody's explicit wish and go beside it; so do
 * nested runs: whoever waits for one wants the output of its own input, and one that waited for the
 * first to end would wait for ever where that is the run it is nested in. A submission that was
 * acknowledged as new before an edit excluded overlap is kept as it was acknowledged.
 */
function uniqueOf({ spec, head, isNew }: Submit): string | undefined {
  const goesBeside = head.window?.backfill || head.nested !== undefined || isNew;
  return spec.exclusive && !goesBeside ? ONLY_RUN : head.unique;
}

/** Whether others are compared with the run that it makes: by a unique value, or as an expected event. */
export function isComparedWith(command: Submit): boolean {
  return uniqueOf(command) !== undefined || command.head.expects !== undefined;
}

function onlyRun(command: Submit): RunHead {
  const unique = uniqueOf(command);
  return unique === undefined ? {} : { unique };
}

/** The new run begins where the old one ended: it grew as that one did, and keeps what succeeded. */
function takeOver(
  core: Core,
  book: Book,
  { growth, tasks, run }: NonNullable<Submit['takeOver']> & { run: Run },
): void {
  const { partition, seq } = run;
  const of = { partition, seq, at: core.now };
  for (const step of growth) {
    if (step[0] === 'fanOut') {
      core.emit(book, taskFannedOut({ ...of, task: step[1], count: step[2] }), run);
    } else {
      const [, task, added, edges] = step;
      core.emit(book, tasksAdded({ ...of, task, tasks: added, edges }), run);
    }
  }
  core.emit(book, tasksTakenOver({ ...of, tasks }), run);
}

export const NOT_OWNER: Answer = {
  kind: 'refused',
  code: 'not_owner',
  message: 'this node does not own the partition; retry',
};

/** The live run with the same unique value. */
function equalLiveRun(book: Book, command: Submit): Run | undefined {
  const unique = uniqueOf(command);
  if (unique === undefined) return undefined;
  const { tenant, job } = command.spec;
  return book.uniques.get(uniqueKey(tenant, job, unique));
}

/**
 * The group that has to be durable before the submission can be decided; null where it can be now.
 * What it would be compared with came under a key that the store may refuse: then that never existed,
 * and an answer that names it would be a run that is lost.
 */
export function awaitedGroup(core: Core, command: Submit): number | null {
  if (isComparedWithNothing(command)) return null;
  const group = groupOfKey(core, command);
  if (group !== null || holderOfKey(core, command) !== undefined) return group;
  const book = core.books.get(command.partition);
  return book === undefined ? null : provisionalGroup(core, equalLiveRun(book, command));
}

/** Nearly every submission of a batch: the key of a request is that of its first one alone. */
function isComparedWithNothing({ spec, head }: Submit): boolean {
  if (head.key !== undefined || head.inbox !== undefined) return false;
  return head.unique === undefined && !spec.exclusive;
}

/** The same for what depends on whether a job that excludes overlap has a live run. */
export function groupOfOnlyRun(
  core: Core,
  { partition, tenant, job }: { partition: number; tenant: string; job: string },
): number | null {
  const only = core.books.get(partition)?.uniques.get(uniqueKey(tenant, job, ONLY_RUN));
  return provisionalGroup(core, only);
}

function provisionalGroup(core: Core, run: Run | undefined): number | null {
  return run !== undefined && core.isProvisional(run) ? run.provisionalIn : null;
}

/**
 * Where a run waits that memory need not hold: far due times, and queues that already have enough
 * in memory. Behind parked runs of its shape everything parks, or FIFO would break. A run with a unique value
 * stays in memory, where its value is looked up; so does one that a later window may replace, and
 * one that waits for events.
 */
function parkingPlace(
  core: Core,
  book: Book,
  submission: { command: Submit; class: Class },
): { lane: string; sort: number } | null {
  const { settings } = core;
  const { spec, head } = submission.command;
  const dueAt = head.dueAt ?? 0;
  if (uniqueOf(submission.command) !== undefined || head.window?.exclusive) return null;
  // An event may come for it at any time, and only memory hears.
  if (spec.hears.length > 0) return null;
  // Its window waits until its key is decided, which only memory knows.
  if (head.expects !== undefined) return null;
  // What it goes on with is told in facts behind its submission: it has to be there for them.
  if (submission.command.takeOver !== undefined) return null;
  if (dueAt > core.now) {
    // What the cursor has passed is never read again: after a take-over by a slower clock a due
    // time may lie before it, and such a run must not be parked.
    const readUpTo = book.lanes.get(DUE_LANE)?.cursor?.sort ?? 0;
    const far = dueAt > core.now + settings.horizonMs && dueAt > readUpTo;
    return far ? { lane: DUE_LANE, sort: dueAt } : null;
  }
  const owner = core.ofTenant(spec.tenant, submission.class);
  const crowded = isCrowded(core, submission.class) || book.inputBytes >= settings.inputBytesMax;
  const full =
    owner.queued >= settings.queueWindow || (crowded && owner.queued >= settings.pageSize);
  if (!full && book.lanes.size === 0) return null;
  const { shape } = spec.tasks[0] as TaskSpec;
  const lane = queueLane(submission.class, spec.tenant, shape);
  const place = { lane, sort: book.nextSeq };
  if ((book.lanes.get(lane)?.parked ?? 0) > 0) return place;
  // A window full of other shapes, which may fit no worker, leaves each shape its page.
  return full && owner.queuedOf(shape.hash) >= settings.pageSize ? place : null;
}
