import {
  Book,
  type Class,
  DEFAULT_SCHEDULE,
  DUE_LANE,
  type Fact,
  fold,
  jobSpec,
  type Reason,
  runClassChanged,
  runEnded,
  runSubmitted,
  runsPagedIn,
  scheduleKey,
  scheduleSet,
  type TaskDefinition,
  type TaskOutcome,
  taskAssigned,
  taskCancelled,
  taskFailed,
  taskRequeued,
  taskStarted,
  taskSucceeded,
  taskTimedOut,
  windowsSkipped,
} from '@signalbox/engine';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { boundedLabel } from './bounded-label.ts';
import { defineMetrics } from './definitions.ts';
import { FactCounts, type FailedAttempt } from './fact-counts.ts';

/** Facts are folded before they are published, as in a node: the run that ends is gone by then. */
class World {
  readonly book = new Book(3, 1);
  readonly failures: FailedAttempt[] = [];
  readonly counts: FactCounts;
  readonly #registry = new Registry();

  constructor({ jobs = 0 } = {}) {
    this.counts = new FactCounts({
      set: defineMetrics(this.#registry),
      runs: () => this.book.runs,
      tenant: boundedLabel(2),
      zone: boundedLabel(2),
      now: () => 0,
      jobs,
      onFailure: (failed) => void this.failures.push(failed),
    });
  }

  publish(...facts: Fact[]): void {
    for (const fact of facts) fold(this.book, fact);
    this.counts.published(this.book.partition, facts);
  }

  /** What was counted, without zeroes and without the buckets of histograms. */
  async counted(): Promise<Record<string, number>> {
    const text = await this.#registry.metrics();
    const samples = [...text.matchAll(/^signalbox_(\S+) (\S+)$/gm)]
      .map(([, name, value]): [string, number] => [name ?? '', Number(value)])
      .filter(([name, value]) => value !== 0 && !name.includes('_bucket'));
    return Object.fromEntries(samples);
  }
}

interface Submission {
  readonly tenant: string;
  readonly job: string;
  readonly class: Class;
  readonly tasks: readonly TaskDefinition[];
}

const SUBMISSION: Submission = {
  tenant: 'acme',
  job: 'j',
  class: 1,
  tasks: [{ name: 'a', request: { cpuMilli: 500, memoryMb: 64 } }],
};

function submitted(seq: number, by: Partial<Submission> = {}): Fact {
  const { tenant, job, class: klass, tasks } = { ...SUBMISSION, ...by };
  const definition = { tasks };
  const spec = jobSpec({ tenant, job, version: 1, definition });
  const run = { seq, ms: 1_000, spec, head: {}, class: klass, input: null, inputBytes: 0 };
  return runSubmitted({ partition: 3, run, parked: null });
}

const of = (seq: number, attempt: number, at: number) => ({
  partition: 3,
  seq,
  task: 0,
  attempt,
  at,
});
const assigned = (seq: number, attempt: number, at: number): Fact =>
  taskAssigned({ ...of(seq, attempt, at), worker: 'w', token: seq * 10 + attempt, score: 0 });
const requeued = (seq: number, attempt: number, reason: Reason): Fact =>
  taskRequeued({ ...of(seq, attempt, 3_000), reason });

function ended(last: TaskOutcome, state: 'SUCCEEDED' | 'FAILED' | 'CANCELLED'): Fact {
  const { seq, at } = last;
  const row = { partition: 3, seq, ms: 1_000, at, tenant: 'acme', detail: '', output: null };
  return runEnded({ ...row, state, last });
}

describe('facts that became durable', () => {
  it('OBS-03 OBS-05 count the whole life of a task, though its run is gone when the end is told', async () => {
    const world = new World();
    world.publish(submitted(1));
    world.publish(assigned(1, 1, 1_500), taskStarted(of(1, 1, 1_750)));
    world.publish(ended(taskSucceeded({ ...of(1, 1, 3_500), output: null }), 'SUCCEEDED'));
    expect(world.book.runs.size).toBe(0);
    expect(world.counts.rate.perSecond()).toBe(1);
    expect(await world.counted()).toEqual({
      'runs_submitted_total{priority="P1",tenant="acme"}': 1,
      'facts_committed_total{kind="runSubmitted"}': 1,
      'facts_committed_total{kind="taskAssigned"}': 1,
      'facts_committed_total{kind="taskStarted"}': 1,
      'facts_committed_total{kind="runEnded"}': 1,
      jobs_dispatched_total: 1,
      'scheduling_delay_seconds_sum{priority="P1",tenant="acme",zone=""}': 0.5,
      'scheduling_delay_seconds_count{priority="P1",tenant="acme",zone=""}': 1,
      dispatch_duration_seconds_sum: 0.25,
      dispatch_duration_seconds_count: 1,
      'processing_duration_seconds_sum{priority="P1"}': 2,
      'processing_duration_seconds_count{priority="P1"}': 1,
      'cost_cpu_seconds_total{tenant="acme"}': 1,
      'cost_memory_byte_seconds_total{tenant="acme"}': 128 * 1_048_576,
      jobs_processed_total: 1,
      jobs_succeeded_total: 1,
      'run_duration_seconds_sum{priority="P1",state="SUCCEEDED"}': 2.5,
      'run_duration_seconds_count{priority="P1",state="SUCCEEDED"}': 1,
    });
  });

  it('OBS-03 OBS-05 count the end of an attempt that was assigned before the partition was taken over', async () => {
    const before = new World();
    before.publish(submitted(1), assigned(1, 1, 1_500), submitted(2), submitted(3));
    before.publish(assigned(3, 1, 1_500), requeued(3, 1, 'transient'));
    const world = new World();
    world.counts.takenOver(3, before.book.runs);
    const failed = (seq: number) =>
      taskFailed({ ...of(seq, 1, 3_500), reason: 'permanent', error: 'x' } as never);
    world.counts.published(3, [ended(failed(1), 'FAILED'), ended(failed(2), 'FAILED')]);
    world.counts.published(3, [ended(failed(3), 'FAILED')]);
    const counted = await world.counted();
    // Of the second run no attempt was ever made, and that of the third ended elsewhere.
    expect(counted['attempt_failures_total{priority="P1",reason="permanent"}']).toBe(1);
    expect(counted['processing_duration_seconds_sum{priority="P1"}']).toBe(2);
    expect(counted['cost_memory_byte_seconds_total{tenant="acme"}']).toBe(128 * 1_048_576);
    expect(counted['run_duration_seconds_count{priority="P1",state="FAILED"}']).toBe(3);
    expect(counted['jobs_failed_total']).toBe(3);
  });

  it('OBS-03 keep the tasks of a run apart, and leave those with upstream out of the delay', async () => {
    const world = new World();
    const tasks = [{ name: 'a' }, { name: 'b' }, { name: 'c', after: ['a'] }];
    world.publish(submitted(1, { class: 0, tasks }), assigned(1, 1, 1_500));
    world.publish({ ...assigned(1, 1, 2_000), task: 1 } as Fact);
    world.publish(taskSucceeded({ ...of(1, 1, 4_500), output: null }));
    world.publish({ ...assigned(1, 1, 5_000), task: 2 } as Fact);
    world.publish(taskSucceeded({ ...of(1, 1, 6_000), task: 1, output: null }));
    const counted = await world.counted();
    expect(counted['processing_duration_seconds_count{priority="P0"}']).toBe(2);
    expect(counted['processing_duration_seconds_sum{priority="P0"}']).toBe(3 + 4);
    const delay = 'scheduling_delay_seconds_count{priority="P0",tenant="acme",zone=""}';
    expect(counted[delay]).toBe(2);
    expect(counted['jobs_dispatched_total']).toBe(3);
  });

  it('OBS-03 OBS-04 tell an assignment that came back from an attempt that failed', async () => {
    const world = new World();
    world.publish(submitted(1), assigned(1, 1, 2_000), requeued(1, 1, 'refused'));
    world.publish(assigned(1, 2, 4_000), requeued(1, 2, 'worker_lost'), assigned(1, 3, 6_000));
    const last = taskFailed({ ...of(1, 3, 7_000), reason: 'permanent', error: 'no' });
    world.publish(ended(last, 'FAILED'));
    expect(await world.counted()).toMatchObject({
      dispatch_failures: 1,
      'attempt_failures_total{priority="P1",reason="worker_lost"}': 1,
      'attempt_failures_total{priority="P1",reason="permanent"}': 1,
      jobs_dispatched_total: 3,
      'scheduling_delay_seconds_count{priority="P1",tenant="acme",zone=""}': 1,
      'processing_duration_seconds_count{priority="P1"}': 3,
      'facts_committed_total{kind="taskAssigned"}': 3,
      'facts_committed_total{kind="taskRequeued"}': 2,
      jobs_failed_total: 1,
    });
  });

  it('OBS-03 count tenants beyond the bound together, each class apart', async () => {
    const world = new World();
    for (const [i, tenant] of ['a', 'b', 'c', 'd', 'c', 'a'].entries()) {
      world.publish(submitted(i + 1, { tenant, class: i === 5 ? 0 : 2 }));
    }
    expect(await world.counted()).toEqual({
      'runs_submitted_total{priority="P2",tenant="a"}': 1,
      'runs_submitted_total{priority="P0",tenant="a"}': 1,
      'runs_submitted_total{priority="P2",tenant="b"}': 1,
      'runs_submitted_total{priority="P2",tenant="other"}': 3,
      'facts_committed_total{kind="runSubmitted"}': 6,
    });
  });

  it('count the end of a run without an attempt, and no attempt', async () => {
    const world = new World();
    world.publish(submitted(1));
    const last = taskCancelled({ ...of(1, 0, 2_000), reason: 'cancelled' });
    world.publish(ended(last, 'CANCELLED'));
    const counted = await world.counted();
    expect(counted['run_duration_seconds_count{priority="P1",state="CANCELLED"}']).toBe(1);
    expect(counted['jobs_processed_total']).toBe(1);
    expect(Object.keys(counted).filter((name) => /failed|processing/.test(name))).toEqual([]);
  });

  it('leave the attempts of a partition that was lost to its next owner', async () => {
    const world = new World();
    world.publish(submitted(1), assigned(1, 1, 2_000));
    world.counts.forget(3);
    world.publish(ended(taskSucceeded({ ...of(1, 1, 4_000), output: null }), 'SUCCEEDED'));
    const counted = await world.counted();
    expect(Object.keys(counted).filter((name) => /processing|cost/.test(name))).toEqual([]);
    expect(counted['jobs_succeeded_total']).toBe(1);
  });

  it('OBS-03 name the class of a run that ends without an attempt, and never `unknown`', async () => {
    const world = new World();
    const cancelled = (seq: number) =>
      ended(taskCancelled({ ...of(seq, 0, 3_500), reason: 'cancelled' }), 'CANCELLED');
    world.publish(submitted(1), cancelled(1));
    world.publish(submitted(2, { class: 0 }));
    world.publish(
      runClassChanged({ partition: 3, seq: 2, at: 2_000, class: 2, by: 'x', reason: '' }),
    );
    world.publish(cancelled(2));
    const parked = submitted(3) as Fact & { kind: 'runSubmitted' };
    const lane = DUE_LANE;
    world.publish({ ...parked, parked: { lane, sort: 1 } });
    world.publish(
      runsPagedIn({ partition: 3, lane, cursor: null, parkedLeft: 0, runs: [parked.run] }),
    );
    world.publish(cancelled(3));
    const before = new World();
    before.publish(submitted(4));
    world.counts.takenOver(3, before.book.runs);
    world.counts.published(3, [cancelled(4)]);
    const counted = await world.counted();
    expect(counted['run_duration_seconds_count{priority="P1",state="CANCELLED"}']).toBe(3);
    expect(counted['run_duration_seconds_count{priority="P2",state="CANCELLED"}']).toBe(1);
    expect(Object.keys(counted).filter((name) => name.includes('unknown'))).toEqual([]);
  });

  it('OBS-03 count by job where asked: so many by name, the others together', async () => {
    const world = new World({ jobs: 2 });
    for (const [i, job] of ['a', 'b', 'c', 'd'].entries()) {
      world.publish(submitted(i + 1, { job }), assigned(i + 1, 1, 1_500));
      const failed = taskFailed({ ...of(i + 1, 1, 3_000), reason: 'permanent', error: 'x' });
      world.publish(ended(failed, 'FAILED'));
    }
    const counted = await world.counted();
    const failures = (job: string) =>
      counted[`job_attempt_failures_total{tenant="acme",job="${job}",reason="permanent"}`];
    expect(['a', 'b', 'c', 'd', 'other'].map(failures)).toEqual([1, 1, undefined, undefined, 2]);
    expect(
      counted['job_run_duration_seconds_count{tenant="acme",job="other",state="FAILED"}'],
    ).toBe(2);
  });

  it('tell of each attempt that failed once, and of none that came back untried', () => {
    const world = new World();
    world.publish(submitted(1), assigned(1, 1, 1_500), requeued(1, 1, 'drained'));
    world.publish(assigned(1, 2, 1_600));
    const failure = { reason: 'timeout', error: 'the attempt exceeded its timeout' } as const;
    world.publish(ended(taskTimedOut({ ...of(1, 2, 9_000), ...failure }), 'FAILED'));
    expect(world.failures).toMatchObject([{ attempt: 2, worker: 'w', outcome: failure }]);
    expect(world.failures[0]?.task.run.spec.job).toBe('j');
  });
});

describe('windows of schedules', () => {
  it('U038 are counted by schedule and reason where they are skipped, and recorded there', async () => {
    const world = new World();
    const of = { partition: 3, tenant: 'acme', schedule: 'nightly', at: 9_000_000 };
    const spec = { ...DEFAULT_SCHEDULE, job: 'report', when: { kind: 'instant', at: 1 } } as const;
    const skipped = { from: 2_000_000, to: 3_000_000, count: 7, reason: 'catch_up_limit' } as const;
    const one = { from: 4_000_000, to: 4_000_000, count: 1, reason: 'overlap' } as const;
    world.publish(
      scheduleSet({ ...of, version: 1, spec, decidedUpTo: 1_000_000 }),
      windowsSkipped({ ...of, ...skipped }),
      windowsSkipped({ ...of, ...one }),
    );
    expect(await world.counted()).toMatchObject({
      'windows_skipped_total{schedule="acme/nightly",reason="catch_up_limit"}': 7,
      'windows_skipped_total{schedule="acme/nightly",reason="overlap"}': 1,
    });
    const schedule = world.book.schedules.get(scheduleKey('acme', 'nightly'));
    expect(schedule?.skips).toMatchObject([skipped, one]);
  });
});
