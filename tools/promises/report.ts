// The part of vitest's JSON report that the tools read.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { cacheDir, listFiles, root } from '../files.ts';

export interface TestReport {
  /** Milliseconds since the epoch. */
  readonly startTime: number;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly FileResult[];
}

interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { fullName: string; status: string }[];
}

export interface TestOutcome {
  readonly file: string;
  readonly title: string;
  readonly status: string;
}

/** The report of the last whole run; runs of some files only do not touch it. */
export const reportFile: string = join(cacheDir, 'test-report.json');

export function readReport(file: string = reportFile): TestReport {
  return JSON.parse(readFileSync(file, 'utf8')) as TestReport;
}

/** Whether the last whole run began after the last change of any source and tested the files there are. */
export function reportIsFresh(): boolean {
  if (!existsSync(reportFile)) return false;
  const { startTime, testResults } = readReport();
  const sources = listFiles('').filter((file) => /\.(ts|tsx|mjs|sql)$/.test(file));
  return (
    sources.every((file) => statSync(join(root, file)).mtimeMs <= startTime) &&
    testResults.every((file) => existsSync(file.name))
  );
}

export function outcomes(report: TestReport): TestOutcome[] {
  return report.testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({
      file: relative(root, file.name),
      title: test.fullName,
      status: test.status,
    })),
  );
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function countTests(report: TestReport): Counts {
  // A file that fails to load has no tests to count, and must not look like a success.
  const broken = report.testResults.filter(
    (file) =>
      file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
