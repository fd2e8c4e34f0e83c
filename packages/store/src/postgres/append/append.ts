import type { RunId } from '@signalbox/engine';
import type pg from 'pg';
import type { AppendResult, Commit } from '../../contract/journal.ts';
import { StoreError } from '../../errors.ts';
import { segmentFromMs } from '../../run-segment.ts';
import { distinctKeys, requestedKeys } from '../../taken-keys.ts';
import { validateCommit } from '../../validate-commit.ts';
import { hasCode, isWorthRepeating, storeErrorOf } from '../connection/failure.ts';
import type { Database } from '../database.ts';
import { ensureGroupSegments } from '../segments/ensure-group-segments.ts';
import { ensureRunSegments, type TimeSpan } from '../segments/ensure-run-segments.ts';
import { encodeCommit, type StepKind } from './encode-commit.ts';
import { explainRefusal } from './explain-refusal.ts';
import type { LostAttempts } from './lost-attempts.ts';

const ATTEMPTS_MAX = 8;

const UNIQUE = ['23505'];
const CHECK = ['23514'];
const NOT_NULL = ['23502'];
/** How `refuseCovered` and `takeKeys` refuse. */
const DIVISION_BY_ZERO = ['22012'];

export async function append(
  database: Database,
  lost: LostAttempts,
  commit: Commit,
): Promise<AppendResult> {
  validateCommit(commit);
  if (commit.parts.length === 0) return { kind: 'committed' };
  const requested = requestedKeys(commit);
  if (requested.length > 1 && distinctKeys(requested).length < requested.length) {
    const refusal = await explainRefusal(database, commit);
    if (refusal !== null) return refusal;
  }
  let error: pg.DatabaseError | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const token = lost.newToken();
    const steps = encodeCommit(database, commit, token);
    const outcome = await database.appends.use((connection) => connection.run(steps));
    if (outcome.kind === 'done') return { kind: 'committed' };
    if (outcome.kind === 'lost') {
      lost.add(token);
      throw new StoreError('unknown', outcome.error.message, { cause: outcome.error });
    }
    error = outcome.error;
    const kind = steps[outcome.step]?.kind ?? 'guard';
    const result = await handleRefusal({ database, commit, kind, error, attempt });
    if (result !== null) return result;
  }
  throw new StoreError('conflict', `the commit did not succeed in ${ATTEMPTS_MAX} attempts`, {
    cause: error,
  });
}

interface Refusal {
  readonly database: Database;
  readonly commit: Commit;
  readonly kind: StepKind;
  readonly error: pg.DatabaseError;
  readonly attempt: number;
}

/** The result of a refusal; null if the same commit may succeed now. Nothing was written. */
async function handleRefusal(refusal: Refusal): Promise<AppendResult | null> {
  const { database, commit, kind, error } = refusal;
  if (isWorthRepeating(error)) return null;
  if (kind === 'groups' || kind === 'keys') {
    const codes = [...UNIQUE, ...CHECK, ...NOT_NULL, ...DIVISION_BY_ZERO];
    if (!hasCode(error, codes)) throw storeErrorOf(error, true);
    const result = await explainRefusal(database, commit);
    if (result !== null) return result;
    if (isWithoutTable(error)) {
      await ensureGroupSegments(
        database,
        commit.parts.map(({ seq }) => seq),
      );
    }
    return null;
  }
  if (isWithoutTable(error)) return makeSegments(refusal);
  if (hasCode(error, [...UNIQUE, ...DIVISION_BY_ZERO])) {
    // A row is written once (I3): a second one could only contradict the first.
    throw new StoreError(
      'invalid',
      `a row already exists: ${error.detail ?? 'the row is part of a row block'}`,
      { cause: error },
    );
  }
  throw storeErrorOf(error, true);
}

/** A row for which no segment is attached; a check of ours would have a name. */
function isWithoutTable(error: pg.DatabaseError): boolean {
  return hasCode(error, CHECK) && error.constraint === undefined;
}

/** An id may lie beyond the segments that were created ahead: its segment is created, unless it was dropped. */
async function makeSegments({ database, commit, error, attempt }: Refusal): Promise<null> {
  const spans = spansOf(idsOf(commit), database.settings.segmentMs);
  const created = await ensureRunSegments(database, spans);
  if (created === 0 && attempt > 1) {
    throw new StoreError('invalid', `the segment of a run no longer exists: ${error.detail}`);
  }
  return null;
}

function idsOf(commit: Commit): RunId[] {
  return commit.parts.flatMap(({ runs, ends, parked }) =>
    [...runs, ...ends, ...parked].map(({ id }) => id),
  );
}

/** The times of the ids, one span for each cell of the segment grid. */
function spansOf(ids: readonly RunId[], segmentMs: number): TimeSpan[] {
  const spans = new Map<number, TimeSpan>();
  for (const { ms } of ids) {
    const piece = segmentFromMs(ms, segmentMs);
    const { fromMs, untilMs } = spans.get(piece) ?? { fromMs: ms, untilMs: ms };
    spans.set(piece, { fromMs: Math.min(fromMs, ms), untilMs: Math.max(untilMs, ms) });
  }
  return [...spans.values()];
}
