import type { Fact, SubmittedRun } from '../facts/facts.ts';
import * as make from '../facts/facts.ts';
import * as makeGraph from '../facts/graph-facts.ts';
import * as makeSchedule from '../facts/schedule-facts.ts';
import { DEFAULT_SCHEDULE, SKIP_REASONS, type SkipReason } from '../model/schedule.ts';
import { buildSpec } from './builders.ts';

/**
 * What the golden files of `facts/golden/` were written from. A file is never written again: it
 * stands for records that lie in somebody's store. A new kind or a new version of a kind gets a
 * sample here, and its file by `GOLDEN=write npm test -- packages/engine/src/facts/golden`.
 */
export const GOLDEN_PARTITION = 7;
export const GOLDEN_AT = 1_750_000_000_000;

const of = {
  partition: GOLDEN_PARTITION,
  seq: 12_345_678_901,
  task: 3,
  at: GOLDEN_AT + 25,
  attempt: 2,
};
const byAnn = {
  partition: GOLDEN_PARTITION,
  seq: 41,
  at: GOLDEN_AT - 3,
  by: 'ann@acme',
  reason: 'superseded – "zürich" 🚂\nsecond line',
};
const bytes = Uint8Array.from([0, 1, 10, 34, 127, 128, 255]);

function submitted(seq: number, tenant: string, more: Partial<SubmittedRun> = {}): SubmittedRun {
  return {
    seq,
    ms: GOLDEN_AT - 10,
    spec: buildSpec({ tenant, job: 'report', version: 4 }),
    head: {},
    class: 1,
    input: null,
    inputBytes: 0,
    ...more,
  };
}

const ofGraph = { partition: GOLDEN_PARTITION, seq: 41, at: GOLDEN_AT + 25 };
const ofSchedule = {
  partition: GOLDEN_PARTITION,
  tenant: 'café 🚂',
  schedule: 'pay-roll',
  at: GOLDEN_AT + 40,
};

const succeeded = make.taskSucceeded({ ...of, output: null });

export const GOLDEN_SAMPLES: { readonly [K in Fact['kind']]: readonly Fact[] } = {
  runSubmitted: [
    make.runSubmitted({
      partition: GOLDEN_PARTITION,
      run: submitted(41, 'acme'),
      parked: null,
    }),
    make.runSubmitted({
      partition: GOLDEN_PARTITION,
      run: submitted(42, 'café 🚂', {
        head: { key: 'k-1', dueAt: GOLDEN_AT + 7_200_000 },
        input: bytes,
        inputBytes: 7,
      }),
      parked: { lane: 'due', sort: GOLDEN_AT + 7_200_000 },
    }),
  ],
  runsPagedIn: [
    make.runsPagedIn({
      partition: GOLDEN_PARTITION,
      lane: 'q2/acme',
      cursor: { sort: 42, ms: GOLDEN_AT - 10, seq: 42 },
      parkedLeft: 17,
      runs: [submitted(41, 'acme'), submitted(42, 'acme')],
    }),
    make.runsPagedIn({
      partition: GOLDEN_PARTITION,
      lane: 'due',
      cursor: null,
      parkedLeft: 0,
      runs: [],
    }),
  ],
  runCancelRequested: [make.runCancelRequested(byAnn)],
  runClassChanged: [make.runClassChanged({ ...byAnn, class: 0 })],
  taskAssigned: [
    make.taskAssigned({ ...of, worker: 'worker-1 "eu"', token: 987_654, score: 3_250 }),
    make.taskAssigned({ ...of, task: 0, attempt: 1, worker: '', token: 1, score: -1 }),
  ],
  taskStarted: [make.taskStarted(of)],
  taskCheckpointed: [
    make.taskCheckpointed({ ...of, state: bytes }),
    make.taskCheckpointed({ ...of, state: new Uint8Array(0) }),
  ],
  taskExtended: [make.taskExtended({ ...of, hardAt: GOLDEN_AT + 3_600_000 })],
  taskSucceeded: [
    succeeded,
    make.taskSucceeded({ ...of, output: bytes }),
    make.taskSucceeded({ ...of, output: new Uint8Array(0) }),
  ],
  taskRetryAt: [
    make.taskRetryAt({
      ...of,
      reason: 'resource',
      error: 'exit code 137\n"killed" – 🧨',
      dueAt: GOLDEN_AT + 5_321,
      memoryMb: 2_048,
    }),
    make.taskRetryAt({
      ...of,
      reason: 'worker_lost',
      error: '',
      dueAt: GOLDEN_AT,
      memoryMb: 0,
    }),
  ],
  taskRequeued: (
    ['refused', 'not_accepted', 'never_arrived', 'drained', 'evicted', 'preempted'] as const
  ).map((reason) => make.taskRequeued({ ...of, reason })),
  taskFailed: [make.taskFailed({ ...of, reason: 'permanent', error: 'permission denied' })],
  taskTimedOut: [
    make.taskTimedOut({ ...of, reason: 'timeout', error: 'ran past its time' }),
    make.taskTimedOut({ ...of, reason: 'stuck', error: 'its progress stood still' }),
  ],
  taskQuarantined: [make.taskQuarantined({ ...of, reason: 'transient', error: 'ECONNRESET' })],
  taskCancelled: [
    make.taskCancelled({ ...of, attempt: 0, reason: 'cancelled' }),
    make.taskCancelled({ ...of, reason: 'upstream_failed' }),
  ],
  taskSkipped: [make.taskSkipped({ ...of, attempt: 0, reason: 'upstream_failed' })],
  runEnded: (['SUCCEEDED', 'PARTIAL', 'FAILED', 'CANCELLED'] as const).map((state) =>
    make.runEnded({
      partition: GOLDEN_PARTITION,
      seq: 41,
      ms: GOLDEN_AT - 10,
      at: GOLDEN_AT + 99,
      tenant: 'acme',
      state,
      last: succeeded,
      detail: '[1,["SUCCEEDED",null,[]]]',
      output: null,
    }),
  ),
  scheduleSet: [
    makeSchedule.scheduleSet({
      ...ofSchedule,
      version: 3,
      decidedUpTo: GOLDEN_AT - 7,
      spec: {
        ...DEFAULT_SCHEDULE,
        job: 'report',
        when: {
          kind: 'cron',
          expr: '30 2 L * *',
          zone: 'Europe/Berlin',
          dstGap: 'shift',
          dstOverlap: 'first',
          calendar: { weekdaysOnly: true, blackouts: ['2026-12-24/2027-01-01', '12-25'] },
        },
        jitterMs: 300_000,
        overlap: 'queueOne',
        startAt: GOLDEN_AT - 1_000,
        endAt: GOLDEN_AT + 1_000,
        runsMax: 12,
        class: 0,
        input: '{"name":"zürich \\"🧨\\""}',
      },
    }),
    makeSchedule.scheduleSet({
      ...ofSchedule,
      version: 1,
      decidedUpTo: 0,
      spec: {
        ...DEFAULT_SCHEDULE,
        job: 'report',
        when: { kind: 'interval', everyMs: 90_000, anchorAt: GOLDEN_AT },
        paused: true,
      },
    }),
    makeSchedule.scheduleSet({
      ...ofSchedule,
      version: 1,
      decidedUpTo: 0,
      spec: { ...DEFAULT_SCHEDULE, job: 'report', when: { kind: 'instant', at: GOLDEN_AT } },
    }),
  ],
  scheduleRemoved: [makeSchedule.scheduleRemoved({ ...ofSchedule, version: 4 })],
  windowFired: [
    makeSchedule.windowFired({
      ...ofSchedule,
      window: GOLDEN_AT - 60_000,
      planned: GOLDEN_AT - 59_000,
      run: 12_345_678_901,
      catchUp: true,
      exclusive: false,
    }),
    makeSchedule.windowFired({
      ...ofSchedule,
      window: GOLDEN_AT,
      planned: GOLDEN_AT,
      run: 1,
      catchUp: false,
      exclusive: true,
    }),
  ],
  windowsSkipped: (Object.keys(SKIP_REASONS) as SkipReason[]).map((reason, i) =>
    makeSchedule.windowsSkipped({
      ...ofSchedule,
      from: GOLDEN_AT - 86_400_000,
      to: GOLDEN_AT,
      count: i === 0 ? null : i,
      reason,
    }),
  ),
  windowHeld: [makeSchedule.windowHeld({ ...ofSchedule, window: GOLDEN_AT - 1 })],
  runPaused: [
    makeGraph.runPaused({ ...ofGraph, by: 'ann', why: 'asked', detail: 'look into it' }),
    makeGraph.runPaused({ ...ofGraph, by: '', why: 'fan_out_limit', detail: '"zürich" 🚂' }),
  ],
  runResumed: [
    makeGraph.runResumed({ ...ofGraph, by: 'ann', fanOutMax: 0 }),
    makeGraph.runResumed({ ...ofGraph, by: 'ann', fanOutMax: 50_000 }),
  ],
  taskFannedOut: [makeGraph.taskFannedOut({ ...ofGraph, task: 1, count: 10_000 })],
  tasksAdded: [
    makeGraph.tasksAdded({
      ...ofGraph,
      task: 2,
      tasks: [{ name: 'more', after: ['load'], executor: 'handler:more' }, { name: 'last' }],
      edges: [[4, 3]],
    }),
  ],
  tasksTakenOver: [
    makeGraph.tasksTakenOver({
      ...ofGraph,
      tasks: [
        { task: 0, state: 'SUCCEEDED', error: null, output: bytes },
        { task: 1, state: 'FAILED', error: 'it broke', output: null },
      ],
    }),
  ],
  taskWaiting: [
    makeGraph.taskWaiting({ ...ofGraph, task: 1, until: GOLDEN_AT + 60_000 }),
    makeGraph.taskWaiting({ ...ofGraph, task: 2, until: 0 }),
  ],
  nestedStarted: [makeGraph.nestedStarted({ ...ofGraph, task: 1, run: 'run-2' })],
  eventKept: [
    makeGraph.eventKept({
      ...ofGraph,
      key: '["/shop","7"]',
      type: 'paid',
      event: bytes,
      suits: [],
    }),
    makeGraph.eventKept({ ...ofGraph, key: 'é', type: 'paid', event: bytes, suits: [1, 4] }),
  ],
  eventTaken: [makeGraph.eventTaken({ ...ofGraph, task: 1, key: '["/shop","7"]' })],
  notificationDue: [
    makeGraph.notificationDue({
      ...ofGraph,
      notification: {
        id: 'run-1/end',
        on: 'failure',
        at: GOLDEN_AT,
        run: 'run-1',
        tenant: 'café 🚂',
        job: 'report',
        version: 4,
        state: 'FAILED',
        detail: '',
      },
    }),
  ],
  notificationDone: [
    makeGraph.notificationDone({ ...ofGraph, id: 'run-1/end', delivered: true }),
    makeGraph.notificationDone({ ...ofGraph, id: 'run-1/end', delivered: false }),
  ],
  windowMet: [makeSchedule.windowMet({ ...ofSchedule, window: GOLDEN_AT + 1, run: 7 })],
};
