import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, root } from './files.ts';
import { runNode, runNodeInherit } from './process.ts';
import type { Counts } from './promises/report.ts';
import { countTests, readReport, reportFile } from './promises/report.ts';

export interface TestRun {
  readonly code: number;
  readonly counts: Counts;
  /** Whether every test file was asked for, so that the report speaks for the whole project. */
  readonly isWhole: boolean;
  readonly hasReport: boolean;
}

/** Runs vitest with `args`; a whole run leaves its report for the promises check. */
export async function runTests({
  args = [] as readonly string[],
  quiet = false,
} = {}): Promise<TestRun> {
  mkdirSync(cacheDir, { recursive: true });
  // Two runs at once must not write into each other's report.
  const ownReport = join(cacheDir, `test-report-${process.pid}.json`);
  const command = [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${ownReport}`,
    ...args,
  ];
  const code = quiet ? (await runNode(command)).code : await runNodeInherit(command);
  const isWhole = args.length === 0;
  if (!existsSync(ownReport)) {
    const counts = { passed: 0, failed: 1, skipped: 0 };
    return { code: code || 1, counts, isWhole, hasReport: false };
  }
  const counts = countTests(readReport(ownReport));
  if (isWhole) renameSync(ownReport, reportFile);
  else rmSync(ownReport);
  return { code, counts, isWhole, hasReport: true };
}
