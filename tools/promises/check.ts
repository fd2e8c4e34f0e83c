import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../files.ts';
import { type MeasurementSources, measurementProblem } from './measured.ts';
import { renderPage } from './page.ts';
import { outcomes, readReport } from './report.ts';
import type { Claims, Rows } from './rows.ts';
import { claimProblems, compareRows, measurementsOf } from './rows.ts';

const claimsFile = join(root, 'docs', 'claims.json');
const pageFile = join(root, 'docs', 'promises.md');

export interface PromisesResult {
  readonly rows: Rows;
  /** One line each; empty when every promise is shown and the page is up to date. */
  readonly problems: readonly string[];
}

/** Holds the claims against the last report; with `write` the page is rewritten instead of compared. */
export function checkPromises({ write = false } = {}): PromisesResult {
  const claims = JSON.parse(readFileSync(claimsFile, 'utf8')) as Claims;
  const rows = compareRows(claims, outcomes(readReport()));
  const page = renderPage(claims, rows);
  if (write) writeFileSync(pageFile, page);
  const checkedIn = existsSync(pageFile) ? readFileSync(pageFile, 'utf8') : '';
  return {
    rows,
    problems: [
      ...claimProblems(claims).map((problem) => `docs/claims.json: ${problem}`),
      ...measurementProblems(claims),
      ...rows.missing.map((id) => `${id} is claimed but no passing test shows it`),
      ...(checkedIn === page ? [] : ['docs/promises.md is stale: run npm run rows -- --write']),
    ],
  };
}

/** Measurements whose command, page or figure is missing, or whose figure misses its target. */
function measurementProblems(claims: Claims): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const readPage: MeasurementSources['readPage'] = (path) =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null;
  return Object.entries(claims).flatMap(([id, claim]) =>
    measurementsOf(claim).flatMap((measurement) => {
      const problem = measurementProblem(measurement, { scripts, readPage });
      return problem === null ? [] : [`${id}: ${problem}`];
    }),
  );
}
