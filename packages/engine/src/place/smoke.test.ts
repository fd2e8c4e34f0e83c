import { expect, it } from 'vitest';
import { seededRandom } from '../model/random.ts';
import type { Attempt } from '../model/run.ts';
import type { TaskDefinition } from '../model/spec.ts';
import { Harness } from '../testing/harness.ts';

const ZONES = ['a', 'b', 'c'];

/** Whether the worker has what the task asks for, told from the definitions alone. */
function isMisplaced(attempt: Attempt, wants: TaskDefinition, h: Harness): string | null {
  const { info } = h.worker(attempt.workerName);
  const { zone, labels = {}, request = {} } = wants;
  if (zone !== undefined && info.zone !== zone) return `zone ${info.zone}, not ${zone}`;
  for (const [name, value] of Object.entries(labels)) {
    if (info.labels[name] !== value) return `${name}=${info.labels[name]}, not ${value}`;
  }
  for (const [name, amount] of Object.entries(request)) {
    const total = info.total[name as keyof typeof info.total];
    if (total < amount) return `${name} ${total}, not ${amount}`;
  }
  return null;
}

it('EVO-05 100 tasks of varied profiles run where their profile allows, and every worker within what it has', () => {
  const h = new Harness();
  const random = seededRandom(5);
  const pick = <T>(items: readonly T[]): T => items[random.int(items.length)] as T;
  for (let i = 0; i < 30; i++) {
    h.addWorker({
      name: `w${i}`,
      zone: ZONES[i % 3] as string,
      labels: i % 2 === 0 ? { disk: 'ssd' } : { disk: 'hdd' },
      total: {
        slots: 8,
        cpuMilli: 8_000,
        memoryMb: 16_000,
        gpu: i % 5 === 0 ? 2 : 0,
        diskMb: 50_000,
      },
    });
  }
  const profiles = Array.from({ length: 100 }, (_, i): TaskDefinition => {
    const request = {
      slots: 1,
      cpuMilli: pick([0, 100, 500, 2_000]),
      memoryMb: pick([0, 128, 1_000, 4_000]),
      gpu: i % 10 === 0 ? pick([1, 2]) : 0,
      diskMb: pick([0, 1_000, 10_000]),
    };
    return {
      request,
      ...(random.next() < 0.5 ? { zone: pick(ZONES) } : {}),
      ...(random.next() < 0.5 ? { labels: { disk: pick(['ssd', 'hdd']) } } : {}),
      ...(i % 20 === 7 ? { apart: ['job-7'] } : {}),
    };
  });
  const runs = profiles.map((task, i) => {
    return h.submit({
      ...task,
      job: i % 20 === 7 ? 'job-7' : `job-${i}`,
      class: (i % 3) as 0 | 1 | 2,
    });
  });
  for (let round = 0; round < 20 && h.factsOf('runEnded').length < 100; round++) {
    for (const { free } of h.engine.core.workers.workers.values()) {
      for (const amount of Object.values(free)) expect(amount).toBeGreaterThanOrEqual(0);
    }
    const live = h.acceptAll();
    for (const attempt of live) {
      const wants = profiles[runs.indexOf(attempt.task.run)] as TaskDefinition;
      expect(isMisplaced(attempt, wants, h)).toBeNull();
    }
    const apart = live.filter(({ task }) => task.run.spec.job === 'job-7');
    expect(new Set(apart.map(({ workerName }) => workerName)).size).toBe(apart.length);
    for (const attempt of live) h.succeed(attempt);
    h.flush();
  }
  expect(runs.map(({ state }) => state)).toEqual(runs.map(() => 'SUCCEEDED'));
});
