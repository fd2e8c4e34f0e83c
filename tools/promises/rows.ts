// What the project claims, held against what its tests show.
import type { Measurement } from './measured.ts';
import type { TestOutcome } from './report.ts';

/** One line per row id, in the project's own words. */
export type Claims = Readonly<Record<string, string>>;

/** By row id: recorded figures that show a claim which tests alone cannot show. */
export type Measured = Readonly<Record<string, readonly Measurement[]>>;

export interface Rows {
  readonly claimed: readonly string[];
  readonly shown: Readonly<Record<string, readonly string[]>>;
  readonly missing: readonly string[];
}

const idPattern = /\b(?:[A-Z]{3}-\d{2}|U\d{3})\b/g;

export function rowIds(title: string): string[] {
  return title.match(idPattern) ?? [];
}

/**
 * A row is shown if at least one test that names it passed, or the row has recorded figures, and no
 * test that names it failed.
 */
export function compareRows(
  claims: Claims,
  tests: readonly TestOutcome[],
  measured: Measured = {},
): Rows {
  const shown = new Map<string, string[]>();
  const failed = new Set<string>();
  for (const test of tests) {
    for (const id of rowIds(test.title)) {
      if (test.status === 'failed') failed.add(id);
      if (test.status !== 'passed') continue;
      shown.set(id, [...(shown.get(id) ?? []), `${test.file} › ${test.title}`]);
    }
  }
  for (const id of failed) shown.delete(id);
  const claimed = Object.keys(claims).sort();
  const isMeasured = (id: string): boolean => (measured[id] ?? []).length > 0 && !failed.has(id);
  return {
    claimed,
    shown: Object.fromEntries(
      [...shown].sort(byId).map(([id, names]) => [id, [...new Set(names)].sort()]),
    ),
    missing: claimed.filter((id) => !shown.has(id) && !isMeasured(id)),
  };
}

function byId([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}

/** What is wrong with the claims file itself. */
export function claimProblems(claims: Claims): string[] {
  const ids = Object.keys(claims);
  return [
    ...ids.filter((id) => rowIds(id)[0] !== id).map((id) => `${id} is not a row id`),
    ...ids.filter((id) => claims[id]?.trim() === '').map((id) => `${id} has no words`),
    ...(ids.join() === [...ids].sort().join() ? [] : ['the ids are not in order']),
  ];
}
