import { describe, expect, it } from 'vitest';
import { seededRandom } from '../model/random.ts';
import { NO_RESOURCES } from '../model/resources.ts';
import { Harness } from '../testing/harness.ts';

const SECOND = 1_000;
const SLOW = { heartbeatMs: 30 * SECOND, silentMs: 90 * SECOND };

/** A worker that answers probes at once, until it dies. */
class Probed extends Harness {
  answered = 0;
  dead = false;

  pass(ms: number): void {
    const until = this.now + ms;
    while (this.now < until) {
      this.advance(Math.min(100, until - this.now));
      const probes = this.effectsOf('probe');
      if (this.dead) continue;
      for (; this.answered < probes.length; this.answered++) {
        const worker = probes[this.answered]?.worker ?? '';
        this.apply({ kind: 'beat', worker, foreignUse: NO_RESOURCES, progress: [] });
      }
    }
  }

  die(name: string): void {
    this.dead = true;
    this.mute(name);
  }
}

function running(critical: boolean, settings = SLOW) {
  const h = new Probed({ settings });
  h.addWorker({ name: 'w1' });
  // It has been here for a while: its next check is far ahead.
  h.pass(SECOND);
  const run = h.submit({ critical });
  h.acceptAll();
  return { h, run };
}

function noticedAfter(h: Probed): number {
  const diedAt = h.now;
  h.die('w1');
  h.pass(100 * SECOND);
  return (h.factsOf('taskRetryAt')[0]?.at ?? Number.NaN) - diedAt;
}

describe('the worker of a critical task', () => {
  it('LIV-04 is asked every 5 s', () => {
    const { h } = running(true);
    for (let s = 0; s < 60; s++) {
      h.pass(SECOND);
      expect(h.now - h.worker('w1').lastSeenAt).toBeLessThanOrEqual(5 * SECOND + 200);
    }
    // Its own beats in between stand for a probe each.
    expect(h.effectsOf('probe').length).toBeGreaterThanOrEqual(10);
    expect(h.effectsOf('probe').length).toBeLessThanOrEqual(12);
    expect(h.live()).toHaveLength(1);
  });

  it('is not asked any more when the task is over, nor for tasks that are not critical', () => {
    const { h } = running(true);
    h.pass(20 * SECOND);
    for (const attempt of h.live()) h.succeed(attempt);
    h.submit();
    h.acceptAll();
    h.pass(6 * SECOND);
    const asked = h.effectsOf('probe').length;
    h.pass(60 * SECOND);
    expect(h.effectsOf('probe')).toHaveLength(asked);
  });

  it('LIV-04 is known to be dead within 15 s, whenever it dies, although silence takes 90 s', () => {
    const random = seededRandom(4);
    for (let i = 0; i < 200; i++) {
      const { h } = running(true);
      h.pass(Math.floor(random.next() * 40 * SECOND));
      expect(noticedAfter(h)).toBeLessThanOrEqual(15 * SECOND);
    }
  });

  it('LIV-04 is known to be dead within 15 s if it dies as soon as it has accepted', () => {
    const { h } = running(true);
    expect(noticedAfter(h)).toBeLessThanOrEqual(15 * SECOND);
  });

  it('LIV-04 is known to be dead within 15 s if other reports came between the probes', () => {
    for (let offset = 0; offset < 5 * SECOND; offset += 500) {
      const { h } = running(true);
      h.submit({ job: 'other' });
      h.acceptAll();
      h.pass(20 * SECOND + offset);
      const other = h.live().find((attempt) => attempt.task.run.spec.job === 'other');
      h.succeed(other as NonNullable<typeof other>);
      expect(noticedAfter(h)).toBeLessThanOrEqual(15 * SECOND);
    }
  });

  it('of a task that is not critical is waited for as long as the settings say', () => {
    const { h } = running(false);
    h.pass(31 * SECOND);
    expect(noticedAfter(h)).toBeGreaterThan(60 * SECOND);
    expect(h.effectsOf('probe')).toEqual([]);
  });
});
