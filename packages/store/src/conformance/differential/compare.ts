import { StoreError } from '../../errors.ts';
import { type Snapshot, toPlain } from '../../snapshot.ts';
import type { Step } from './step.ts';

export type Outcome =
  | { readonly answer: unknown }
  | { readonly refused: string; readonly message: string };

export async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  try {
    return { answer: await call };
  } catch (error) {
    // Anything but a StoreError breaks the contract in whichever store it came from.
    if (!(error instanceof StoreError)) throw error;
    return { refused: error.kind, message: error.message };
  }
}

/** The outcome as text that is equal exactly where the contract wants the stores to be equal. */
export function comparable(outcome: Outcome, step: Step, isExact: boolean): string {
  if ('refused' in outcome) return `refused: ${outcome.refused}`;
  if (step.isLoose && !isExact) return 'answered';
  let answer = canonical(toPlain(outcome.answer), isExact);
  if (step.isUnordered && Array.isArray(answer)) answer = inAnyOrder(answer);
  return JSON.stringify(answer) ?? 'nothing';
}

const SETS = new Set(['partitions', 'keys', 'renewed', 'lost']);
const TIMES = new Set(['nowMs', 'expiresAtMs', 'remainingMs']);

function canonical(value: unknown, isExact: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => canonical(item, isExact));
  if (typeof value !== 'object' || value === null) return value;
  const row: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    if (!isExact && (TIMES.has(name) || isStoreTime(name, value))) continue;
    const inner = canonical(field, isExact);
    // The keys of a run keep their order; the keys of an answer have none.
    const isSet = SETS.has(name) && !('head' in value) && Array.isArray(inner);
    row[name] = isSet ? inAnyOrder(inner) : inner;
  }
  return row;
}

/**
 * `atMs` is the store's own in definitions, in audit entries, whose hash covers it, and in fences,
 * and the caller's anywhere else.
 */
function isStoreTime(name: string, row: object): boolean {
  if ('hash' in row && (name === 'atMs' || name === 'hash')) return true;
  if (name !== 'atMs') return false;
  return 'author' in row || ('factCount' in row && row.factCount === 0);
}

function inAnyOrder(items: unknown[]): unknown[] {
  return items.map((item) => JSON.stringify(item)).sort();
}

/** The parts of two snapshots that differ, or null. */
export function snapshotDifference(a: Snapshot, b: Snapshot, isExact: boolean): string | null {
  for (const name of Object.keys(a) as (keyof Snapshot)[]) {
    const left = rows(a, name, isExact);
    const right = rows(b, name, isExact);
    if (left.join() === right.join()) continue;
    const onlyLeft = left.filter((row) => !right.includes(row)).slice(0, 3);
    const onlyRight = right.filter((row) => !left.includes(row)).slice(0, 3);
    return `${name}: only in a [${onlyLeft}], only in b [${onlyRight}]`;
  }
  return null;
}

function rows(snapshot: Snapshot, name: keyof Snapshot, isExact: boolean): string[] {
  let kept: readonly unknown[] = snapshot[name];
  if (!isExact && name === 'groups') {
    // What a checkpoint has passed may go sooner in one store than in another.
    const passed = new Map(snapshot.checkpoints.map(({ partition, seq }) => [partition, seq]));
    kept = snapshot.groups.filter(({ partition, seq }) => seq > (passed.get(partition) ?? 0));
  }
  // Which empty segments exist ahead depends on the clock.
  if (!isExact && name === 'segments') kept = snapshot.segments.filter(({ sealed }) => sealed);
  return kept.map((row) => JSON.stringify(canonical(row, isExact)));
}
