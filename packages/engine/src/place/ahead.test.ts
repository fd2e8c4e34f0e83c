import { describe, expect, it } from 'vitest';
import type { Task } from '../model/run.ts';
import { Harness, type SubmitParams } from '../testing/harness.ts';
import { countAhead } from './ahead.ts';
import { shortageOf } from './shortage.ts';

/** One worker of one slot, which is taken: everything else waits in line. */
function fullHouse(): { harness: Harness; submit: (params?: SubmitParams) => Task } {
  const harness = new Harness();
  harness.addWorker({ total: { slots: 1, memoryMb: 100 } });
  const submit = (params: SubmitParams = {}): Task => harness.submit(params).tasks[0] as Task;
  submit();
  harness.step();
  return { harness, submit };
}

describe('who is ahead', () => {
  it('OBS-01 counts higher classes and older tasks, not those behind', () => {
    const { harness, submit } = fullHouse();
    const { core } = harness.engine;
    submit();
    const task = submit();
    submit();
    submit({ runClass: 0 });
    submit({ runClass: 2 });
    expect(countAhead(core, task)).toEqual([1, 1, 0]);
  });

  it('OBS-01 leaves out who wants other workers, and who is at a limit of its own', () => {
    const { harness, submit } = fullHouse();
    const { core } = harness.engine;
    submit({ zone: 'elsewhere' });
    submit({ tenant: 'held' });
    harness.apply({ kind: 'setTenant', tenant: 'held', weight: 1_000, runningMax: 0 });
    const task = submit();
    expect(countAhead(core, task)).toEqual([0, 0, 0]);
  });
});

describe('shortage', () => {
  it('OBS-01 tells what is missing on the worker that lacks least', () => {
    const { harness, submit } = fullHouse();
    harness.addWorker({ name: 'small', total: { slots: 4, memoryMb: 10 } });
    const task = submit({ request: { memoryMb: 80 } });
    const { workers } = harness.engine.core;
    expect(shortageOf(workers, task.shape)).toEqual({
      suitable: 1,
      reserved: 0,
      nearest: { cpuMilli: 0, memoryMb: 100, gpu: 0, diskMb: 0, slots: 0 },
      missing: [{ what: 'slots', by: 1 }],
    });
    const huge = submit({ request: { memoryMb: 1_000 } });
    expect(shortageOf(workers, huge.shape)).toMatchObject({ suitable: 0, nearest: null });
  });
});
