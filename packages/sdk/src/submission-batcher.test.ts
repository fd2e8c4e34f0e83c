import type { Submitted } from '@signalbox/protocol';
import { describe, expect, it } from 'vitest';
import type { PreparedSubmission } from './backend.ts';
import { SignalboxError } from './errors.ts';
import { SubmissionBatcher } from './submission-batcher.ts';

const item = (job: string): PreparedSubmission => ({ head: { job }, input: undefined });
const answer = ({ head }: PreparedSubmission): Submitted => ({
  id: `run of ${head.job}`,
  job: head.job,
  created: true,
});

describe('submissions of one turn', () => {
  it('travel together and are answered each with its own run', async () => {
    const sizes: number[] = [];
    const batcher = new SubmissionBatcher(async (items) => {
      sizes.push(items.length);
      return items.map(answer);
    });
    const jobs = Array.from({ length: 2_500 }, (_, i) => `job${i}`);
    const answers = await Promise.all(jobs.map((job) => batcher.submit(item(job))));
    expect(answers.map(({ job }) => job)).toEqual(jobs);
    expect(sizes).toEqual([1_000, 1_000, 500]);
  });

  it('EXT-19 travel in several requests where they are large together, and a large one alone', async () => {
    const sizes: number[][] = [];
    const batcher = new SubmissionBatcher(async (items) => {
      sizes.push(items.map(({ input = '' }) => input.length));
      return items.map(answer);
    });
    const inputs = [300_000, 300_000, 300_000, 10, 5_000_000, 10, 10];
    await Promise.all(
      inputs.map((size) => batcher.submit({ head: { job: 'a' }, input: 'x'.repeat(size) })),
    );
    expect(sizes).toEqual([[300_000, 300_000], [300_000, 10], [5_000_000], [10, 10]]);
  });

  it('gather while requests are under way', async () => {
    const sizes: number[] = [];
    const held: (() => void)[] = [];
    const batcher = new SubmissionBatcher(async (items) => {
      sizes.push(items.length);
      await new Promise<void>((resolve) => held.push(resolve));
      return items.map(answer);
    });
    const first = Array.from({ length: 4 }, async (_, i) => {
      for (let turn = 0; turn < i; turn++) await new Promise((resolve) => setImmediate(resolve));
      return batcher.submit(item('a'));
    });
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    const later = Array.from({ length: 50 }, () => batcher.submit(item('b')));
    await new Promise((resolve) => setImmediate(resolve));
    expect(sizes).toEqual([1, 1, 1, 1]);
    held.shift()?.();
    await first[0];
    await new Promise((resolve) => setImmediate(resolve));
    expect(sizes).toEqual([1, 1, 1, 1, 50]);
    for (const release of held) release();
    await Promise.all([...first, ...later]);
    await batcher.idle();
  });

  it.each(['not_found', 'damaged'] as const)(
    'do not fail with the wrong one among them (%s), which is found in few requests',
    async (code) => {
      let requests = 0;
      const batcher = new SubmissionBatcher(async (items) => {
        requests++;
        const wrong = items.find(({ head }) => head.job === 'absent');
        if (wrong) throw new SignalboxError(code, 'the job "absent" cannot be used');
        return items.map(answer);
      });
      const jobs = Array.from({ length: 256 }, (_, i) => (i === 77 ? 'absent' : `job${i}`));
      const settled = await Promise.allSettled(jobs.map((job) => batcher.submit(item(job))));
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(255);
      expect(settled[77]).toMatchObject({ status: 'rejected', reason: { code } });
      expect(requests).toBeLessThanOrEqual(17);
    },
  );

  it('share an error that is of none of them in particular, without asking again', async () => {
    let requests = 0;
    const batcher = new SubmissionBatcher(async () => {
      requests++;
      throw new SignalboxError('unauthenticated', 'no such key');
    });
    const settled = await Promise.allSettled(
      ['a', 'b', 'c'].map((job) => batcher.submit(item(job))),
    );
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(requests).toBe(1);
  });
});
