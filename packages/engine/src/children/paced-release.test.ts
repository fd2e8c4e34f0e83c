import { describe, expect, it } from 'vitest';
import { encodeText } from '../facts/text.ts';
import type { GraphDefinition } from '../model/graph-spec.ts';
import type { Attempt, Run } from '../model/run.ts';
import type { TaskDefinition } from '../model/spec.ts';
import { AutoRun } from '../testing/auto-run.ts';
import { buildSpec } from '../testing/builders.ts';
import { percentile } from '../testing/drive.ts';
import { Harness } from '../testing/harness.ts';

const FAN_OUT: TaskDefinition[] = [
  { name: 'split' },
  { name: 'each', after: ['split'], fanOut: { from: 'split' } },
  { name: 'join', after: ['each'] },
];

/** Releases `count` children in one step. */
function fanOut(h: Harness, count: number, limits: NonNullable<GraphDefinition['limits']>): Run {
  const run = h.submit({ tasks: FAN_OUT, graph: { limits } });
  h.step();
  const split = h.attemptOf(run, 0);
  h.accept(split);
  h.succeed(split, encodeText(JSON.stringify(count)));
  h.flush();
  return run;
}

function released(run: Run): number {
  let count = 0;
  for (const task of run.tasks) {
    if (task.part?.group != null && task.state !== 'PENDING') count++;
  }
  return count;
}

describe('the release of a large fan-out', () => {
  /**
   * The delays, in virtual time, of another tenant's P1 tasks beside a fan-out of `children`, on a fleet
   * with room for twice what the fan-out may release.
   */
  function otherTenant(children: number) {
    const h = new Harness();
    h.addWorker({ total: { slots: 200 } });
    /** When each task of the fan-out started. */
    const started: number[] = [];
    const submittedAt = new Map<number, number>();
    const delays: number[] = [];
    const other = buildSpec({ tenant: 'other', job: 'small', class: 1 });
    const fleet = new AutoRun(h, ({ task }: Attempt) => {
      const { seq, spec } = task.run;
      if (spec === other) delays.push(h.now - (submittedAt.get(seq) as number));
      else started.push(h.now - startedAt);
      return 100;
    });
    const startedAt = h.now;
    const run = children === 0 ? null : fanOut(h, children, { fanOutMax: 50_000 });
    while (run === null ? h.now < startedAt + 50_000 : run.state === 'RUNNING') {
      for (let part = 0; part < 20; part++) {
        // At moments that are no multiples of the pacer's: between two releases as well.
        fleet.run(1 + ((part * 13) % 49));
        submittedAt.set(h.submit({ spec: other }).seq, h.now);
        fleet.run(49 - ((part * 13) % 49));
      }
    }
    return { started, delays, run };
  }

  it('DAG-09 U098 takes about 50 s for 50,000 tasks, and does not delay P1 tasks of another tenant', () => {
    const alone = otherTenant(0);
    const beside = otherTenant(50_000);
    expect(beside.run?.state).toBe('SUCCEEDED');
    // The join follows; `split` started before the fleet did.
    expect(beside.started).toHaveLength(50_001);
    // One second's worth is released at once, then 1,000 in each second.
    for (let second = 1; second < 49; second++) {
      const count = beside.started.filter((ms) => ms < second * 1_000).length;
      expect(Math.abs(count - 1_000 * (second + 1))).toBeLessThanOrEqual(60);
    }
    expect(beside.started.at(-1)).toBeLessThan(51_000);
    expect(alone.delays.length).toBeGreaterThanOrEqual(980);
    expect(beside.delays.length).toBeGreaterThanOrEqual(980);
    const p95 = percentile(alone.delays, 0.95);
    expect(Math.abs(percentile(beside.delays, 0.95) - p95)).toBeLessThanOrEqual(0.1 * p95);
  }, 60_000);

  it('DAG-10 F21 takes about 20 s for 100,000 tasks that become ready together, and loses none', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 1_000_000 } });
    const limits = { fanOutMax: 100_000, readyPerSecond: 100_000 };
    const run = fanOut(h, 100_000, limits);
    const after: number[] = [];
    for (let second = 0; second < 22; second++) {
      after.push(released(run));
      h.advance(1_000);
    }
    // 5,000 at once from the full bucket, then 5,000 in each second.
    for (const [second, count] of after.slice(1, 19).entries()) {
      expect(Math.abs(count - 5_000 * (second + 2))).toBeLessThanOrEqual(300);
    }
    expect(after[21]).toBe(100_000);
    const assigned = new Set(h.factsOf('taskAssigned').map(({ task }) => task));
    expect(assigned.size).toBe(100_001);
    expect(h.factsOf('taskAssigned')).toHaveLength(100_001);
  }, 60_000);
});
