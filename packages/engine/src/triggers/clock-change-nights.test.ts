import { describe, expect, it } from 'vitest';
import { zoneNamed } from '../cron/testing/cron-in.ts';
import type { Zone } from '../cron/zone.ts';
import type { Decided } from '../engine.ts';
import { HOUR, MINUTE, Scheduled } from '../testing/scheduled.ts';

const FROM_MS = Date.UTC(2026, 0, 1);
const UNTIL_MS = Date.UTC(2036, 0, 1);
const CHANGES = 2_000;

interface Change {
  readonly zone: Zone;
  readonly at: number;
  /** A time of the clock that the change leaves out or repeats. */
  readonly local: number;
}

/** The first clock changes of every zone that has any, a year after the other. */
function changesOf(name: string): Change[] {
  const zone = zoneNamed(name);
  const found: Change[] = [];
  for (let span = zone.spanAt(FROM_MS); span.endMs < UNTIL_MS; ) {
    const next = zone.spanAt(span.endMs);
    const jump = next.offsetMs - span.offsetMs;
    const earlier = Math.min(span.offsetMs, next.offsetMs);
    if (jump !== 0) {
      found.push({ zone, at: span.endMs, local: span.endMs + earlier + Math.abs(jump) / 2 });
    }
    span = next;
  }
  return found;
}

/** Counts what each tick does: facts, and questions to the zone, of which every computed window asks some. */
class Night extends Scheduled {
  readonly most = { facts: 0, asked: 0 };
  ticks = 0;
  readonly #asked: () => number;

  constructor({ zone, at }: Change) {
    let asked = 0;
    const counting: Zone = {
      name: zone.name,
      spanAt: (ms) => {
        asked++;
        return zone.spanAt(ms);
      },
    };
    super({ zoneOf: () => counting });
    this.#asked = () => asked;
    this.now = at - 12 * HOUR;
  }

  override tick(): Decided {
    const before = this.#asked();
    const decided = super.tick();
    this.ticks++;
    this.most.facts = Math.max(this.most.facts, decided.facts.length);
    this.most.asked = Math.max(this.most.asked, this.#asked() - before);
    return decided;
  }

  windowsOf(name: string): number[] {
    return this.fired.filter(({ schedule }) => schedule === name).map(({ window }) => window);
  }
}

describe('the night of a clock change', () => {
  const changes = Intl.supportedValuesOf('timeZone').flatMap((name) => changesOf(name));
  const step = Math.floor(changes.length / CHANGES);
  const chosen = changes.filter((_, i) => i % step === 0).slice(0, CHANGES);

  it('U040 has one run per window and bounded work per tick, at 2,000 clock changes', () => {
    expect(chosen).toHaveLength(CHANGES);
    expect(new Set(chosen.map(({ zone }) => zone.name)).size).toBeGreaterThan(100);
    const wrong: unknown[] = [];
    const most = { facts: 0, asked: 0, ticks: 0 };
    for (const change of chosen) {
      const { zone, at, local } = change;
      const night = new Night(change);
      const clock = new Date(local);
      const nightly = `${clock.getUTCMinutes()} ${clock.getUTCHours()} * * *`;
      const cron = (expr: string) => ({ kind: 'cron', expr, zone: zone.name }) as const;
      night.save({ name: 'nightly', when: cron(nightly) });
      night.advance(11 * HOUR);
      night.save({ name: 'often', when: cron('*/15 * * * *') });
      night.advance(2 * HOUR);
      night.remove('often');
      night.advance(11 * HOUR - 1);
      const often = night.windowsOf('often');
      const runs = night.factsOf('runSubmitted').length;
      const isRegular = often.every(
        (window, i) => i === 0 || window - often[i - 1]! === 15 * MINUTE,
      );
      const nights = night.windowsOf('nightly').length;
      if (nights !== 1 || often.length !== 8 || !isRegular || runs !== 9) {
        wrong.push({
          zone: zone.name,
          at: new Date(at).toISOString(),
          nightly,
          nights,
          often,
          runs,
        });
      }
      most.facts = Math.max(most.facts, night.most.facts);
      most.asked = Math.max(most.asked, night.most.asked);
      most.ticks = Math.max(most.ticks, night.ticks);
    }
    expect(wrong).toEqual([]);
    // Two schedules: each window, its run and the end of the run, and a few looks at the zone for each.
    expect(most.facts).toBeLessThanOrEqual(6);
    expect(most.asked).toBeLessThanOrEqual(30);
    // Nine windows and five calls of `advance`: a night is not evaluated more often than it has windows.
    expect(most.ticks).toBeLessThanOrEqual(20);
  }, 120_000);
});
