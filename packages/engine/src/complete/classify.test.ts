import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAILURE_CLASSES, type FailureClass } from '../facts/reasons.ts';
import { Harness } from '../testing/harness.ts';
import { classify, FAILURE_WORDS } from './classify.ts';

/** As they are found in the logs of real jobs. */
const SAMPLES: readonly [error: string, expected: FailureClass, exitCode?: number][] = [
  ['connect ECONNREFUSED 10.0.0.5:5432', 'transient'],
  ['read ECONNRESET', 'transient'],
  ['write EPIPE', 'transient'],
  ['TypeError: fetch failed', 'transient'],
  ['TypeError: fetch failed: getaddrinfo ENOTFOUND api.internal', 'transient'],
  ['connect EHOSTUNREACH 10.0.0.5:443', 'transient'],
  ['socket hang up', 'transient'],
  ['getaddrinfo EAI_AGAIN db.internal', 'transient'],
  ['connect ETIMEDOUT 203.0.113.7:443', 'transient'],
  ['Request timed out after 30000 ms', 'transient'],
  ['ReadTimeout: HTTPSConnectionPool', 'transient'],
  ['Lock wait timeout exceeded; try restarting transaction', 'transient'],
  ['HTTP 503 Service Unavailable', 'transient'],
  ['upstream answered 502', 'transient'],
  ['status=504', 'transient'],
  ['429 Too Many Requests', 'transient'],
  ['Rate limit exceeded, retry in 5 s', 'transient'],
  ['deadlock detected', 'transient'],
  ['Resource temporarily unavailable', 'transient'],
  ['The server is busy, try again later', 'transient'],
  ['something that nobody has seen before', 'transient'],
  ['', 'transient'],
  ['exited with code 1', 'transient', 1],
  ['Permission denied', 'permanent'],
  ["EACCES: permission denied, open '/etc/shadow'", 'permanent'],
  ['HTTP 401 Unauthorized', 'permanent'],
  ['403 Forbidden', 'permanent'],
  ['AccessDenied: Access Denied', 'permanent'],
  ['404 Not Found', 'permanent'],
  ["ENOENT: no such file or directory, open 'a.csv'", 'permanent'],
  ["TypeError: Cannot read properties of undefined (reading 'id')", 'permanent'],
  ['ReferenceError: total is not defined', 'permanent'],
  ['SyntaxError: Unexpected token } in JSON', 'permanent'],
  ['ERROR: syntax error at or near "FORM"', 'permanent'],
  ['validation failed: amount must be positive', 'permanent'],
  ['Invalid argument: --dat', 'permanent'],
  ['invalid input: order 8503421 has no lines', 'permanent'],
  ['relation "users" already exists', 'permanent'],
  ['Unsupported media type', 'permanent'],
  ['schema mismatch in column 4', 'permanent'],
  ['FATAL ERROR: Reached heap limit Allocation failed', 'resource'],
  ['JavaScript heap out of memory', 'resource'],
  ['java.lang.OutOfMemoryError: Java heap space', 'resource'],
  ['MemoryError', 'resource'],
  ["terminate called after throwing an instance of 'std::bad_alloc'", 'resource'],
  ['OOMKilled', 'resource'],
  ['fork: Cannot allocate memory', 'resource'],
  ['ENOMEM: not enough memory, spawn', 'resource'],
  ['ENOSPC: no space left on device, write', 'resource'],
  ['Disk quota exceeded', 'resource'],
  ['container exceeded its memory limit', 'resource'],
  ['Killed', 'resource', 137],
  ['connection reset', 'resource', 137],
];

describe('classify', () => {
  it.each(SAMPLES)('FLT-01 "%s" is %s', (error, expected, exitCode) => {
    expect(classify(error, exitCode)).toBe(expected);
  });

  it('is documented with every word', () => {
    const page = readFileSync(new URL('../../../../docs/sdk.md', import.meta.url), 'utf8');
    const listed = FAILURE_WORDS.map(({ class: failureClass }) => {
      const row = page.match(new RegExp(`^\\| \`${failureClass}\` \\| (.*?) \\|`, 'm'))?.[1] ?? '';
      return [...row.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
    });
    expect(listed).toEqual(FAILURE_WORDS.map(({ words }) => words));
  });

  it('FLT-01 is shown by at least thirty samples, of every class', () => {
    expect(SAMPLES.length).toBeGreaterThanOrEqual(30);
    for (const failureClass of FAILURE_CLASSES) {
      expect(SAMPLES.filter(([, expected]) => expected === failureClass).length).toBeGreaterThan(9);
    }
  });
});

describe('a failed attempt', () => {
  const failing = (how: Parameters<Harness['fail']>[1]) => {
    const h = new Harness();
    h.addWorker();
    const run = h.submit();
    for (const attempt of h.acceptAll()) h.fail(attempt, how);
    h.flush();
    return { h, run, task: run.tasks[0] };
  };

  it('FLT-01 has the class that its worker states, whatever the error says', () => {
    const stated = failing({ error: 'Permission denied', class: 'transient' });
    expect(stated.task).toMatchObject({ state: 'PENDING', charged: 1 });
    expect(stated.h.factsOf('taskRetryAt')).toMatchObject([{ reason: 'transient' }]);
    const other = failing({ error: 'read ECONNRESET', class: 'permanent' });
    expect(other.task).toMatchObject({ state: 'FAILED', error: 'read ECONNRESET' });
    const third = failing({ error: 'read ECONNRESET', class: 'resource', exitCode: 1 });
    expect(third.h.factsOf('taskRetryAt')).toMatchObject([{ reason: 'resource' }]);
  });

  it('FLT-02 is not tried again if its failure is permanent', () => {
    const { h, run, task } = failing({ error: 'Permission denied' });
    h.advance(24 * 3_600_000);
    expect(task).toMatchObject({ state: 'FAILED', attempts: 1, error: 'Permission denied' });
    expect(run.state).toBe('FAILED');
    expect(h.factsOf('taskAssigned')).toHaveLength(1);
    expect(h.factsOf('runEnded')).toMatchObject([{ last: { reason: 'permanent' } }]);
  });
});
