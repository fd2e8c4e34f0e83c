import { expect, it } from 'vitest';
import { Engine } from '../engine.ts';
import { Book } from '../model/book.ts';
import { seededRandom } from '../model/random.ts';
import { DEFAULT_SCHEDULE } from '../model/schedule.ts';
import { buildSpec } from '../testing/builders.ts';
import { NOON } from '../testing/scheduled.ts';

const SCHEDULES = 1_000;
const SECONDS = 30;

it('U072 1,000 schedules that fire every second are decided faster than time passes, and none is late', () => {
  const engine = new Engine();
  const random = seededRandom(1);
  let now = NOON - 1_000;
  engine.apply({ kind: 'takePartition', book: new Book(0, 1) }, now, random);
  const of = { partition: 0, tenant: 'acme' };
  for (let i = 0; i < SCHEDULES; i++) {
    const when = { kind: 'interval', everyMs: 1_000, anchorAt: NOON + i } as const;
    const spec = { ...DEFAULT_SCHEDULE, job: 'job', when };
    const named = { ...of, schedule: `s${i}`, version: 1, savedAt: now };
    engine.apply({ kind: 'setSchedule', ...named, spec }, now, random);
  }
  const head = { kind: 'ready', spec: buildSpec({ job: 'job' }) } as const;
  engine.apply({ kind: 'setJob', ...of, job: 'job', head }, now, random);
  engine.take(1);
  const fired = new Map<string, number>();
  let lateMsMax = 0;
  const used = process.cpuUsage();
  for (const until = NOON + SECONDS * 1_000; now < until; ) {
    now = Math.max(now + 1, engine.nextWakeAt() ?? until);
    if (now >= until) break;
    engine.apply({ kind: 'tick' }, now, random);
    while (engine.schedule(now, random));
    for (const fact of engine.take(1).facts) {
      if (fact.kind !== 'windowFired' || fact.window < NOON) continue;
      fired.set(fact.schedule, (fired.get(fact.schedule) ?? 0) + 1);
      lateMsMax = Math.max(lateMsMax, fact.at - fact.window);
    }
    // Their runs end at once: only the windows are of interest.
    for (const seq of [...(engine.core.books.get(0) as Book).runs.keys()]) {
      const cancel = { partition: 0, seq, by: '', reason: '' };
      engine.apply({ kind: 'cancel', ...cancel }, now, random);
    }
    engine.take(1);
  }
  const { user, system } = process.cpuUsage(used);
  expect(fired.size).toBe(SCHEDULES);
  expect(new Set(fired.values())).toEqual(new Set([SECONDS]));
  expect(lateMsMax).toBe(0);
  // Processor time: other tests share the machine.
  expect((user + system) / 1_000).toBeLessThan(SECONDS * 1_000);
}, 120_000);
