import fc from 'fast-check';
import type {
  Fact,
  RunEnded,
  RunSubmitted,
  RunsPagedIn,
  SubmittedRun,
  TaskOutcome,
} from '../facts/facts.ts';
import * as make from '../facts/facts.ts';
import * as makeGraph from '../facts/graph-facts.ts';
import { REASONS, type Reason } from '../facts/reasons.ts';
import * as makeSchedule from '../facts/schedule-facts.ts';
import type { LaneCursor } from '../model/lane.ts';
import type { RunHead } from '../model/run.ts';
import { DEFAULT_SCHEDULE, SKIP_REASONS, type SkipReason } from '../model/schedule.ts';
import { RUN_STATES, TASK_STATES } from '../model/states.ts';
import { buildSpec } from './builders.ts';

/** Facts of every kind, with whatever users and workers may write into them. */

export const PARTITION = 5;

/** Any text there is: emoji, line breaks, quotes, NUL, and halves of surrogate pairs. */
export const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom('', '\n', '"', '\\', '\u2028', '{"a":1}\n["e1",1,1,"FAILED"]'),
);
export const bytes: fc.Arbitrary<Uint8Array> = fc.uint8Array({ maxLength: 40 });
const bytesOrNull = fc.option(bytes, { nil: null });
const time = fc.integer({ min: 0, max: 4_000_000_000_000 });
const count = fc.integer({ min: 0, max: 1_000_000 });
const seq = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 1 });
const reason = fc.constantFrom(...(Object.keys(REASONS) as Reason[]));
const runClass = fc.constantFrom(0 as const, 1 as const, 2 as const);

const head: fc.Arbitrary<RunHead> = fc.record(
  {
    key: text,
    unique: text,
    dueAt: time,
    trigger: fc.record({ kind: text, by: text }),
    inbox: text,
    lane: text,
  },
  { requiredKeys: [] },
);

const submitted: fc.Arbitrary<SubmittedRun> = fc.record({
  seq,
  ms: time,
  spec: fc.record({ tenant: text, job: text, version: count }).map(buildSpec),
  head,
  class: runClass,
  input: bytesOrNull,
  inputBytes: count,
});

const cursor: fc.Arbitrary<LaneCursor | null> = fc.option(
  fc.record({ sort: time, ms: time, seq }),
  { nil: null },
);

const of = { partition: fc.constant(PARTITION), seq, task: count, at: time, attempt: count };
const ofRun = { partition: fc.constant(PARTITION), seq, at: time, by: text, reason: text };

const outcomes: { readonly [K in TaskOutcome['kind']]: fc.Arbitrary<TaskOutcome> } = {
  taskSucceeded: fc.record({ ...of, output: bytesOrNull }).map(make.taskSucceeded),
  taskRetryAt: fc
    .record({ ...of, reason, error: text, dueAt: time, memoryMb: count })
    .map(make.taskRetryAt),
  taskRequeued: fc.record({ ...of, reason }).map(make.taskRequeued),
  taskFailed: fc.record({ ...of, reason, error: text }).map(make.taskFailed),
  taskTimedOut: fc.record({ ...of, reason, error: text }).map(make.taskTimedOut),
  taskQuarantined: fc.record({ ...of, reason, error: text }).map(make.taskQuarantined),
  taskCancelled: fc.record({ ...of, reason }).map(make.taskCancelled),
  taskSkipped: fc.record({ ...of, reason }).map(make.taskSkipped),
};

const runSubmitted: fc.Arbitrary<RunSubmitted> = fc
  .record({
    partition: fc.constant(PARTITION),
    run: submitted,
    parked: fc.option(fc.record({ lane: text, sort: time }), { nil: null }),
  })
  .map(make.runSubmitted);

const runsPagedIn: fc.Arbitrary<RunsPagedIn> = fc
  .record({
    partition: fc.constant(PARTITION),
    lane: text,
    cursor,
    parkedLeft: count,
    runs: fc.array(submitted, { maxLength: 3 }),
  })
  .map(make.runsPagedIn);

const runEnded: fc.Arbitrary<RunEnded> = fc
  .record({
    partition: fc.constant(PARTITION),
    seq,
    ms: time,
    at: time,
    tenant: text,
    state: fc.constantFrom(...RUN_STATES),
    last: outcomes.taskSucceeded,
    detail: text,
    output: bytesOrNull,
  })
  .map(make.runEnded);

const ofGraph = { partition: fc.constant(PARTITION), seq, at: time };
const OF_SCHEDULE = ['partition', 'tenant', 'schedule', 'at'] as const;
const ofSchedule = { partition: fc.constant(PARTITION), tenant: text, schedule: text, at: time };
const scheduleSpec = fc.record({ job: text, input: fc.option(text, { nil: null }) }).map((own) => ({
  ...DEFAULT_SCHEDULE,
  ...own,
  when: { kind: 'interval', everyMs: 60_000, anchorAt: 0 } as const,
}));

/** One for each kind; a kind without one does not compile. */
export const FACTS: { readonly [K in Fact['kind']]: fc.Arbitrary<Fact> } = {
  runSubmitted,
  runsPagedIn,
  runCancelRequested: fc.record(ofRun).map(make.runCancelRequested),
  runClassChanged: fc.record({ ...ofRun, class: runClass }).map(make.runClassChanged),
  taskAssigned: fc
    .record({ ...of, worker: text, token: seq, score: fc.integer({ min: -1000, max: 9000 }) })
    .map(make.taskAssigned),
  taskStarted: fc.record(of).map(make.taskStarted),
  taskCheckpointed: fc.record({ ...of, state: bytes }).map(make.taskCheckpointed),
  taskExtended: fc.record({ ...of, hardAt: time }).map(make.taskExtended),
  ...outcomes,
  runEnded,
  scheduleSet: fc
    .record(
      { ...ofSchedule, version: count, decidedUpTo: time, spec: scheduleSpec, until: time },
      { requiredKeys: [...OF_SCHEDULE, 'version', 'decidedUpTo', 'spec'] },
    )
    .map(makeSchedule.scheduleSet),
  scheduleRemoved: fc.record({ ...ofSchedule, version: count }).map(makeSchedule.scheduleRemoved),
  windowFired: fc
    .record({
      ...ofSchedule,
      window: time,
      planned: time,
      run: seq,
      catchUp: fc.boolean(),
      exclusive: fc.boolean(),
    })
    .map(makeSchedule.windowFired),
  windowsSkipped: fc
    .record({
      ...ofSchedule,
      from: time,
      to: time,
      count: fc.option(count, { nil: null }),
      reason: fc.constantFrom(...(Object.keys(SKIP_REASONS) as SkipReason[])),
    })
    .map(makeSchedule.windowsSkipped),
  windowHeld: fc.record({ ...ofSchedule, window: time }).map(makeSchedule.windowHeld),
  nestedStarted: fc.record({ ...ofGraph, task: count, run: text }).map(makeGraph.nestedStarted),
  runPaused: fc
    .record({
      ...ofGraph,
      by: text,
      why: fc.constantFrom('asked' as const, 'task_failed' as const, 'fan_out_limit' as const),
      detail: text,
    })
    .map(makeGraph.runPaused),
  runResumed: fc
    .record(
      { ...ofGraph, by: text, fanOutMax: count, state: fc.constant('PENDING' as const) },
      { requiredKeys: ['partition', 'seq', 'at', 'by', 'fanOutMax'] },
    )
    .map(makeGraph.runResumed),
  taskFannedOut: fc.record({ ...ofGraph, task: count, count }).map(makeGraph.taskFannedOut),
  tasksAdded: fc
    .record({
      ...ofGraph,
      task: count,
      tasks: fc.array(fc.record({ name: text, after: fc.array(text, { maxLength: 2 }) }), {
        maxLength: 3,
      }),
      edges: fc.array(fc.tuple(count, count), { maxLength: 3 }),
    })
    .map(makeGraph.tasksAdded),
  tasksTakenOver: fc
    .record({
      ...ofGraph,
      tasks: fc.array(
        fc.record(
          {
            task: count,
            state: fc.constantFrom(...TASK_STATES),
            error: fc.option(text, { nil: null }),
            output: bytesOrNull,
            failedBy: text,
          },
          { requiredKeys: ['task', 'state', 'error', 'output'] },
        ),
        { maxLength: 3 },
      ),
    })
    .map(makeGraph.tasksTakenOver),
  taskWaiting: fc.record({ ...ofGraph, task: count, until: time }).map(makeGraph.taskWaiting),
  eventKept: fc
    .record({ ...ofGraph, key: text, type: text, event: bytes, suits: fc.array(count) })
    .map(makeGraph.eventKept),
  eventTaken: fc.record({ ...ofGraph, task: count, key: text }).map(makeGraph.eventTaken),
  notificationDue: fc
    .record({
      ...ofGraph,
      notification: fc.record({
        id: text,
        on: fc.constantFrom('success' as const, 'failure' as const, 'alert' as const),
        at: time,
        run: text,
        tenant: text,
        job: text,
        version: count,
        state: fc.constantFrom(...RUN_STATES),
        detail: text,
      }),
    })
    .map(makeGraph.notificationDue),
  notificationDone: fc
    .record(
      { ...ofGraph, id: text, delivered: fc.boolean(), tenant: text },
      { requiredKeys: ['partition', 'seq', 'at', 'id', 'delivered'] },
    )
    .map(makeGraph.notificationDone),
  windowMet: fc.record({ ...ofSchedule, window: time, run: fc.nat() }).map(makeSchedule.windowMet),
};

export const anyFact: fc.Arbitrary<Fact> = fc.oneof(...Object.values(FACTS));
