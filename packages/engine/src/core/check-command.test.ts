import { describe, expect, it } from 'vitest';
import { NO_RESOURCES } from '../model/resources.ts';
import { Harness } from '../testing/harness.ts';

const ODD = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, 0.5, 1e300];

describe('the door of the engine', () => {
  it.each(ODD)('refuses %d wherever a command has a number', (odd) => {
    const h = new Harness();
    const invalid = { kind: 'refused', code: 'invalid' };
    h.addWorker({ name: 'w' });
    const use = { ...NO_RESOURCES, slots: odd };
    expect(h.apply({ kind: 'beat', worker: 'w', foreignUse: use, progress: [] })).toMatchObject(
      invalid,
    );
    expect(h.apply({ kind: 'setTenant', tenant: 't', weight: 1, runningMax: odd })).toMatchObject(
      odd === Number.POSITIVE_INFINITY ? { kind: 'done' } : invalid,
    );
    if (odd !== 0.5) {
      expect(h.apply({ kind: 'setTenant', tenant: 't', weight: odd, runningMax: 1 })).toMatchObject(
        invalid,
      );
    }
    const run = h.submit({});
    const { partition, seq } = run;
    expect(h.apply({ kind: 'resumeRun', partition, seq, by: '', fanOutMax: odd })).toMatchObject(
      invalid,
    );
    expect(h.engine.core.workers.workers.get('w')?.foreignUse).toEqual(NO_RESOURCES);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses progress of %d', (value) => {
    const h = new Harness();
    h.addWorker({ name: 'w' });
    const ref = { partition: 0, seq: 1, task: 0, number: 1, epoch: 1, token: 1 };
    const beat = { kind: 'beat', worker: 'w', foreignUse: NO_RESOURCES } as const;
    expect(h.apply({ ...beat, progress: [{ ref, value }] })).toMatchObject({ code: 'invalid' });
  });
});
