import { formatRunId, type JobDefinition, type PackedFact, type RunId } from '@signalbox/engine';
import type { StoredRun } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../../sim/evidence.ts';
import { inputOf } from '../../../sim/names.ts';
import { drawOptions } from '../../../sim/world/options.ts';
import { TAME } from '../../../sim/world/wild-options.ts';
import type { Dump } from '../dump.ts';
import { clientEvents } from '../evidence/events.ts';
import { storeEvents, workerEvents } from '../evidence/journal-events.ts';
import { type Execution, History, type Submitted } from '../history.ts';
import { judgeByCheckers } from './checkers.ts';

const ID: RunId = { ms: 10_000, partition: 3, seq: 1 };
const NAME = formatRunId(ID);
const INPUT = { submission: 's7' };
const BYTES = Buffer.byteLength(JSON.stringify(INPUT));

function submitted(over: Partial<Submitted> = {}): Submitted {
  const flags = { created: true, pending: false };
  return {
    ...{ tenant: 'acme', job: 'plain', key: null, unique: null, input: INPUT },
    ...{ isOfBatch: false, request: null, invokedAt: 10_000, answeredAt: 10_010 },
    answer: { kind: 'acknowledged', id: NAME, job: 'plain', ...flags },
    ...over,
  };
}

/** A run that was submitted, still waits, and is the only thing in the journal. */
const row: StoredRun = {
  run: {
    ...{ id: ID, tenant: 'acme', job: 'plain', jobVersion: 1, class: 1, head: '', keys: [] },
    ...{ input: inputOf(7, BYTES), inputBytes: BYTES },
  },
  end: null,
};
const submittedAt = {
  kind: 'submittedAt',
  run: { ...ID, tenant: 'acme' },
} as unknown as PackedFact;
const journal: Evidence['journal'] = [
  { partition: 3, epoch: 1, seq: 1, commitId: 'n/fence-1', t: 9_000, facts: [], taken: [] },
  { partition: 3, epoch: 1, seq: 2, commitId: 'n/1', t: 10_000, facts: [submittedAt], taken: [] },
];

function judged(
  change: {
    submissions?: Submitted[];
    executions?: Execution[];
    over?: Partial<Evidence>;
    shown?: History['shown'];
  } = {},
): string[] {
  const history = new History();
  history.submissions.push(...(change.submissions ?? [submitted()]));
  history.shown.push(...(change.shown ?? []));
  const dump = { runs: [{ id: NAME }], resolved: new Map(), windows: [] } as unknown as Dump;
  const facts = change.over?.journal ?? journal;
  const runs = change.over?.runs ?? [row];
  const taskNames = new Map([['plain', ['main']]]);
  const { executions = [] } = change;
  const evidence: Evidence = {
    options: { ...drawOptions(1, 1), follows: false, hears: false, wild: TAME },
    events: [
      ...clientEvents(history, dump),
      ...storeEvents(facts),
      ...workerEvents({ executions, journal: facts, runs, taskNames }),
    ].sort((a, b) => a.t - b.t),
    ...{ journal: facts, runs, inbox: [], aliases: new Map(), books: [], streams: [] },
    jobs: new Map<string, JobDefinition>([['plain', {}]]),
    ...{ limits: new Map(), weights: new Map(), totals: new Map(), farDueMs: 0 },
    ...{ misfits: new Set(['plain']), restless: [] },
    quiet: { memory: [], rooms: [], unanswered: [], inputs: [] },
    ...change.over,
  };
  return judgeByCheckers(evidence, history);
}

describe('the checkers of the simulator, over a real store', () => {
  it('find nothing where nothing is wrong', () => {
    expect(judged()).toEqual([]);
  });

  const start: Execution = {
    ...{ kind: 'start', run: NAME, attempt: `${NAME}:main:1`, job: 'plain', tenant: 'acme' },
    ...{ submission: 's7', nonce: 'n', worker: 'w', at: 10_100 },
  };
  const refused = { kind: 'refused', status: 409, code: 'conflict' } as const;
  const view = {
    ...{ node: 'node-1', tenant: 'acme', id: NAME, endedAt: null, tasks: [] },
    ...{ state: 'SUCCEEDED', invokedAt: 10_200, answeredAt: 10_210 },
  };
  const [fence, group] = journal as [Evidence['journal'][0], Evidence['journal'][0]];

  it.each<[string, Parameters<typeof judged>[0], RegExp]>([
    ['a run that is lost', { over: { runs: [] } }, /^C1: operation 7 .* is lost/],
    ['a run that nobody submitted', { submissions: [] }, /^C1: run 3\.1 was never asked for/],
    [
      'a refused one with a run',
      { submissions: [submitted({ answer: refused })] },
      /^C1: .*refused/,
    ],
    [
      'a run of another input',
      { submissions: [submitted({ input: { submission: 's7', padding: 'x' } })] },
      /^C16: operation 7 sent \d+ bytes/,
    ],
    [
      'a duplicate that equals nothing',
      { submissions: [submitted(), submitted({ input: { submission: 's8' } })] },
      /^C16: operation 8 was told that it made/,
    ],
    [
      'an attempt that was never assigned',
      { executions: [start] },
      /^C3: attempt .* not in the journal/,
    ],
    ['an end that never was', { shown: [view] }, /^C12: run 3\.1 was shown SUCCEEDED/],
    [
      'a commit under the epoch of another',
      { over: { journal: [fence, { ...group, commitId: 'other/1' }] } },
      /^C4: .*committed under n's epoch/,
    ],
    ['a gap in the journal', { over: { journal: [fence, { ...group, seq: 3 }] } }, /^C4: /],
    [
      'a row that the journal does not have',
      { over: { journal: [fence, { ...group, facts: [] }] } },
      /^ledger: run 3\.1 has a row/,
    ],
  ])('catch %s', (_what, change, problem) => {
    expect(judged(change)).toContainEqual(expect.stringMatching(problem));
  });
});
