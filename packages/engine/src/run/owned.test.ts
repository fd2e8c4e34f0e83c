import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import type { Fact } from '../facts/facts.ts';
import { isGraphFact } from '../facts/graph-facts.ts';
import { isScheduleFact } from '../facts/schedule-facts.ts';
import type { Task } from '../model/run.ts';
import { isTerminalTask } from '../model/states.ts';
import { FACTS } from '../testing/fact-arbitraries.ts';
import { act, actions, Life } from '../testing/random-life.ts';

/** Who moves the task on, and by when; null where nobody does. */
function ownerOf(life: Life, task: Task): string | null {
  const { core } = life.engine;
  const timed = task.timerBucket !== null;
  switch (task.state) {
    case 'PENDING':
      if (task.waitsFor > 0) return task.run.doomed ? null : 'upstream';
      return timed ? 'timer' : null;
    case 'QUEUED':
      if (task.lane !== null || core.stalled.has(task)) return 'queue';
      return timed ? 'timer' : null;
    case 'ASSIGNED':
      return task.attempt !== null && timed ? 'deadline' : null;
    case 'RUNNING': {
      const worker = task.attempt?.worker ?? null;
      if (worker !== null && worker.timerBucket !== null) return 'liveness';
      return task.attempt !== null && timed ? 'deadline' : null;
    }
    default:
      return isTerminalTask(task.state) ? 'ended' : null;
  }
}

/** Everything is well again: time passes, workers come and do what they get. */
function heal(life: Life): void {
  for (let round = 0; round < 300; round++) {
    for (const name of ['w0', 'w1', 'w2']) {
      life.apply({ kind: 'uncordonWorker', worker: name });
      if (!life.engine.core.workers.workers.has(name)) act(life, { do: 'attach', a: 2, b: 0 });
    }
    act(life, { do: 'attach', a: 0, b: 0 });
    life.pageIn();
    for (const attempt of life.acceptAll()) life.succeed(attempt);
    life.flush();
    const parked = [...life.book.lanes.values()].some((lane) => lane.parked > 0);
    if (life.book.runs.size === 0 && !parked) return;
    life.advance(60_000);
  }
}

describe('after anything that may happen', () => {
  it('U009 I16 every task that has not ended has an owner and a deadline', () => {
    assertProperty(
      fc.property(actions, (list) => {
        const life = new Life();
        for (const action of list) {
          act(life, action);
          for (const run of life.book.runs.values()) {
            for (const task of run.tasks) {
              expect(ownerOf(life, task), `${task.state} after ${action.do}`).not.toBe(null);
            }
          }
        }
      }),
    );
  });

  it('U009 every run that was accepted ends, once the workers are well', () => {
    assertProperty(
      fc.property(actions, (list) => {
        const life = new Life();
        for (const action of list) act(life, action);
        life.flush();
        heal(life);
        expect([...life.book.runs.keys()]).toEqual([]);
        expect([...life.book.lanes.values()].map((lane) => lane.parked).filter(Boolean)).toEqual(
          [],
        );
        const accepted = life.store.encoded.flatMap((group) => group.runs);
        const ended = life.store.encoded.flatMap((group) => group.ends.map((end) => end.id.seq));
        expect(ended.sort((a, b) => a - b)).toEqual(accepted.map((run) => run.id.seq));
      }),
      { numRuns: 60 },
    );
  });

  it('nothing is left over when everything has ended: no timer, no place taken, no charge', () => {
    assertProperty(
      fc.property(actions, (list) => {
        const life = new Life();
        for (const action of list) act(life, action);
        life.flush();
        heal(life);
        // The last look at graphs finds none, and there is no further one.
        life.advance(life.engine.core.settings.watchRunsMs);
        const { core } = life.engine;
        const workers = [...core.workers.workers.values()];
        expect(workers.flatMap((worker) => worker.attempts)).toEqual([]);
        expect(workers.map((worker) => worker.criticalCount).filter(Boolean)).toEqual([]);
        expect(core.wheel.size).toBe(workers.length);
        expect(core.orphans.size).toBe(0);
        expect(core.stalled.size).toBe(0);
        expect(core.queues.size).toEqual([0, 0, 0]);
        for (const owner of core.tenantClasses())
          expect([owner.queued, owner.running]).toEqual([0, 0]);
      }),
      { numRuns: 60 },
    );
  });

  it('the lives that are led here bring about every kind of fact', () => {
    const seen = new Set<Fact['kind']>();
    for (const list of fc.sample(actions, { seed: 7, numRuns: 400 })) {
      const life = new Life();
      for (const action of list) act(life, action);
      life.flush();
      for (const fact of life.facts) {
        seen.add(fact.kind);
        if (fact.kind === 'runEnded') seen.add(fact.last.kind);
      }
    }
    // Lives of graphs that pause, grow and wait are led in `children/`.
    const wanted = Object.keys(FACTS).filter(
      (kind) => kind !== 'taskSkipped' && !isScheduleFact({ kind }) && !isGraphFact({ kind }),
    );
    expect([...seen].sort()).toEqual(wanted.sort());
  });
});
