import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../files.ts';
import { type MeasurementSources, measurementProblem } from './measured.ts';
import { renderPage } from './page.ts';
import { outcomes, readReport } from './report.ts';
import type { Claims, Measured, Rows } from './rows.ts';
import { claimProblems, compareRows } from './rows.ts';

const claimsFile = join(root, 'docs', 'claims.json');
const measuredFile = join(root, 'docs', 'measured.json');
const pageFile = join(root, 'docs', 'promises.md');

export interface PromisesResult {
  readonly rows: Rows;
  /** One line each; empty when every promise is shown and the page is up to date. */
  readonly problems: readonly string[];
}

/** Holds the claims against the last report; with `write` the page is rewritten instead of compared. */
export function checkPromises({ write = false } = {}): PromisesResult {
  const claims = JSON.parse(readFileSync(claimsFile, 'utf8')) as Claims;
  const measured = JSON.parse(readFileSync(measuredFile, 'utf8')) as Measured;
  const rows = compareRows(claims, outcomes(readReport()), measured);
  const page = renderPage(claims, rows, measured);
  if (write) writeFileSync(pageFile, page);
  const checkedIn = existsSync(pageFile) ? readFileSync(pageFile, 'utf8') : '';
  return {
    rows,
    problems: [
      ...claimProblems(claims).map((problem) => `docs/claims.json: ${problem}`),
      ...measurementProblems(claims, measured),
      ...rows.missing.map((id) => `${id} is claimed but no passing test shows it`),
      ...(checkedIn === page ? [] : ['docs/promises.md is stale: run npm run rows -- --write']),
    ],
  };
}

/** Measurements of a row that is not claimed, and those whose command, page or figure is missing, or whose figure misses its target. */
function measurementProblems(claims: Claims, measured: Measured): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const readPage: MeasurementSources['readPage'] = (path) =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null;
  return Object.entries(measured).flatMap(([id, measurements]) => {
    const problems = measurements.map((each) => measurementProblem(each, { scripts, readPage }));
    const isClaimed = Object.hasOwn(claims, id);
    return [...problems, isClaimed ? null : 'is measured but not claimed']
      .filter((problem) => problem !== null)
      .map((problem) => `docs/measured.json: ${id}: ${problem}`);
  });
}
