import { Signalbox } from 'signalbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { report, resize, thumbnail, tick } from '../../examples/tour/jobs.ts';
import * as tour from '../../examples/tour/tour.ts';

describe('the tour', () => {
  let box: Signalbox;

  beforeAll(async () => {
    box = await Signalbox.open('memory:');
    await box.work([resize, tick, report, thumbnail], {
      concurrency: 20,
      name: 'tour-worker',
      labels: { disk: 'ssd' },
      zone: 'here',
    });
  });

  afterAll(() => box.close());

  it('submits', async () => {
    expect(await tour.submitting(box)).toBe('resize,resize,resize');
  });

  it('waits', async () => {
    expect(await tour.waiting(box)).toBe('https://example.com/cat.jpg?w=640?w=64');
  });

  it('fails and tries again', async () => {
    expect(await tour.failing(box)).toBe('FAILED');
  });

  it('stops', async () => {
    expect(await tour.stopping(box)).toBe('CANCELLED');
  });

  it('watches', async () => {
    const [line, reason, ended, ...more] = await tour.watching(box);
    expect(JSON.parse(line as string)).toMatchObject({ message: 'read', day: '2026-01-01' });
    expect(reason).toMatch(/^[A-Z_]+$/);
    expect([ended, more]).toEqual(['report SUCCEEDED', []]);
  });

  it('listens', async () => {
    const listened = tour.listening(box, AbortSignal.timeout(20_000));
    const run = await box.submit(tick);
    await run.result();
    expect(await listened).toBe('SUCCEEDED');
  });
});
