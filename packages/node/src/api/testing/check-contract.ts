// Loaded before every test file: each response of each node in the process of a test must be declared in the
// API document, or the test that asked for it fails.
import { afterAll, afterEach, expect } from 'vitest';
import { watchResponses } from './watch-responses.ts';

interface Watch {
  violations: string[];
}

/** Test files that share a process run this file once each, and must watch each server once. */
const shared = globalThis as { signalboxContract?: Watch };
if (shared.signalboxContract === undefined) {
  const started: Watch = { violations: [] };
  shared.signalboxContract = started;
  watchResponses((violations) => started.violations.push(...violations));
}
const watch = shared.signalboxContract;

function expectNone(): void {
  const found = watch.violations;
  watch.violations = [];
  expect(found, 'responses that the API document does not declare').toEqual([]);
}

afterEach(expectNone);
afterAll(expectNone);
