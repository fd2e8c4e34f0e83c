import { decodeGroup, type PackedFact, type RunPointer } from '../facts/decode-group.ts';
import type { SubmittedRun } from '../facts/facts.ts';
import { addRun, fold, leaveLane, park, removeRun } from '../facts/fold.ts';
import { foldSchedule, forgetWindowRun } from '../facts/fold-schedule.ts';
import { isNotificationFact } from '../facts/graph-facts.ts';
import { Book } from '../model/book.ts';
import type { Run } from '../model/run.ts';
import {
  asideRuns,
  checkpointSpecs,
  decodeCheckpoint,
  decodeSavedRun,
  type FindSpec,
  type JobVersion,
} from './checkpoint.ts';

/** The groups that came after the checkpoint. */
export interface TailGroup {
  /** Its place in the journal of the partition; names the group in an error. */
  readonly seq?: number;
  readonly epoch: number;
  readonly body: Uint8Array;
}

/**
 * Rebuilds a partition from its checkpoint and the facts after it. In two steps, because the rows
 * of runs must be asked of the store between them, and only of runs that are still live:
 *
 *   const plan = planRebuild(…)      reads the facts, says which rows and job versions are needed
 *   const book = rebuild(plan, …)    folds
 */
export interface RebuildPlan {
  readonly partition: number;
  readonly chunks: readonly Uint8Array[];
  readonly tail: readonly { readonly epoch: number; readonly facts: readonly PackedFact[] }[];
  /** Rows to load: submitted or paged in after the checkpoint, and not ended since. */
  readonly needed: readonly RunPointer[];
  readonly jobVersions: readonly JobVersion[];
  /** Runs that came and went after the checkpoint: their facts are skipped whole. */
  readonly gone: ReadonlySet<number>;
}

export function planRebuild(params: {
  partition: number;
  chunks: readonly Uint8Array[];
  tail: readonly TailGroup[];
}): RebuildPlan {
  const tail = params.tail.map((group) => ({
    epoch: group.epoch,
    facts: readGroup(params.partition, group),
  }));
  const arrived = new Map<number, RunPointer>();
  for (const { seq, ms, tenant, saved } of asideRuns(params.chunks)) {
    if (saved === null) arrived.set(seq, { seq, ms, tenant });
  }
  const gone = new Set<number>();
  for (const { facts } of tail) {
    for (const fact of facts) {
      if (fact.kind === 'submittedAt' && fact.lane === null) arrived.set(fact.run.seq, fact.run);
      if (fact.kind === 'pagedInAt') for (const run of fact.runs) arrived.set(run.seq, run);
      if (fact.kind === 'endedAt' && arrived.delete(fact.seq)) gone.add(fact.seq);
    }
  }
  return {
    partition: params.partition,
    chunks: params.chunks,
    tail,
    needed: [...arrived.values()],
    jobVersions: checkpointSpecs(params.chunks),
    gone,
  };
}

function readGroup(partition: number, { seq, body }: TailGroup): PackedFact[] {
  try {
    return decodeGroup(partition, body);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RangeError(`group ${seq ?? ''} cannot be read: ${why}`);
  }
}

export function rebuild(
  plan: RebuildPlan,
  params: { epoch: number; rows: ReadonlyMap<number, SubmittedRun>; findSpec: FindSpec },
): Book {
  const book = new Book(plan.partition, params.epoch);
  decodeCheckpoint(book, plan.chunks, params.findSpec);
  takeBackAside(book, plan, params);
  foldTail(book, plan, params.rows);
  book.epoch = params.epoch;
  return book;
}

/** Runs that were set aside continue if what was missing can be read. */
function takeBackAside(
  book: Book,
  plan: RebuildPlan,
  { rows, findSpec }: { rows: ReadonlyMap<number, SubmittedRun>; findSpec: FindSpec },
): void {
  for (const aside of asideRuns(plan.chunks)) {
    const { seq, tenant, saved, facts } = aside;
    if (plan.gone.has(seq)) continue;
    if (saved === null) {
      const row = rows.get(seq);
      if (row !== undefined) addRun(book, row);
    } else {
      const spec = findSpec(tenant, saved.job, saved.version);
      if (spec !== null) decodeSavedRun(book, spec, saved.line);
    }
    if (!book.runs.has(seq)) {
      book.aside.set(seq, aside);
      continue;
    }
    for (const [epoch, { fact }] of facts) {
      book.epoch = epoch;
      fold(book, fact);
    }
  }
}

/** Goes on with a book that was rebuilt before, by the groups that came after it. */
export function foldTail(
  book: Book,
  plan: RebuildPlan,
  rows: ReadonlyMap<number, SubmittedRun>,
): void {
  for (const { epoch, facts } of plan.tail) {
    // Attempts carry the epoch under which they were assigned.
    book.epoch = epoch;
    for (const fact of facts) foldPacked(book, fact, plan, rows);
  }
}

function foldPacked(
  book: Book,
  packed: PackedFact,
  plan: RebuildPlan,
  rows: ReadonlyMap<number, SubmittedRun>,
): void {
  switch (packed.kind) {
    case 'submittedAt': {
      const { seq, ms } = packed.run;
      book.nextSeq = Math.max(book.nextSeq, seq + 1);
      book.lastMs = Math.max(book.lastMs, ms);
      if (packed.lane !== null) park(book, packed.lane, packed.run);
      else if (!plan.gone.has(seq)) addOrSetAside(book, rows, packed.run);
      return;
    }
    case 'pagedInAt': {
      const runs = packed.runs.filter(({ seq }) => !plan.gone.has(seq));
      leaveLane(book, { ...packed, runs });
      for (const run of runs) addOrSetAside(book, rows, run);
      return;
    }
    case 'endedAt': {
      const run = book.runs.get(packed.seq);
      if (run !== undefined) removeRun(book, run as Run);
      book.aside.delete(packed.seq);
      // Also of a run that came and went after the checkpoint, and was never in the book.
      forgetWindowRun(book, packed.seq);
      return;
    }
    case 'scheduleFact':
      return foldSchedule(book, packed.fact);
    case 'fact':
      return foldRunFact(book, packed, plan);
  }
}

function foldRunFact(
  book: Book,
  packed: PackedFact & { readonly kind: 'fact' },
  plan: RebuildPlan,
): void {
  const { fact } = packed;
  const aside = book.aside.get(fact.seq);
  if (isNotificationFact(fact) || (aside === undefined && !plan.gone.has(fact.seq))) {
    return fold(book, fact);
  }
  aside?.facts.push([book.epoch, packed]);
  if (fact.kind === 'taskAssigned') book.nextToken = Math.max(book.nextToken, fact.token + 1);
}

/** A run whose row or job version could not be read is set aside with all that is known of it. */
function addOrSetAside(
  book: Book,
  rows: ReadonlyMap<number, SubmittedRun>,
  { seq, ms, tenant }: RunPointer,
): void {
  const row = rows.get(seq);
  if (row === undefined) book.aside.set(seq, { seq, ms, tenant, saved: null, facts: [] });
  else addRun(book, row);
}
