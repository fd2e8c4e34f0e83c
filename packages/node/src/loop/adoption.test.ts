import { describe, expect, it } from 'vitest';
import { type Adoption, chunksByJob } from './adoption.ts';

function adoption(job: string, schedule: string, version = 1): Adoption {
  const of = { partition: 0, tenant: 'acme', savedAt: 0 };
  return { job, set: { kind: 'setSchedule', ...of, schedule, version, spec: null } };
}

describe('what is adopted in one turn', () => {
  it('is bounded, nothing is left out, and a job is never cut in two', () => {
    const adoptions = Array.from({ length: 10_000 }, (_, i) =>
      adoption(`job-${(i % 5_000) % 700}`, `s${i % 5_000}`, i < 5_000 ? 1 : 2),
    );
    const chunks = chunksByJob(adoptions);
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(1_000);
    expect(chunks.flat()).toHaveLength(10_000);
    const chunkOf = new Map<string, number>();
    for (const [i, chunk] of chunks.entries()) {
      for (const { schedule, version } of chunk) {
        const { job } = adoptions.find(({ set }) => set.schedule === schedule) as Adoption;
        expect(chunkOf.get(job) ?? i).toBe(i);
        chunkOf.set(job, i);
        expect(version).toBeGreaterThan(0);
      }
    }
  });

  it('is in the order of versions, whatever order they were saved in', () => {
    const [chunk] = chunksByJob([
      adoption('j', 's', 3),
      adoption('j', 's', 1),
      adoption('j', 's', 2),
    ]);
    expect(chunk?.map(({ version }) => version)).toEqual([1, 2, 3]);
  });
});
