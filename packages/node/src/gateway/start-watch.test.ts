import { describe, expect, it } from 'vitest';
import { StartWatch } from './start-watch.ts';

const MINUTE = 60_000;

function setup() {
  const world = { waiting: 0, started: 0, now: 0, told: [] as { waiting: number; ms: number }[] };
  const watch = new StartWatch(
    {
      waiting: () => world.waiting,
      started: () => world.started,
      alert: (silence) => world.told.push(silence),
    },
    () => world.now,
  );
  const pass = (minutes: number): void => {
    for (let i = 0; i < minutes; i++) {
      world.now += MINUTE;
      watch.look();
    }
  };
  return { world, pass };
}

describe('the watch over starts', () => {
  it('U039 tells within six minutes that nothing starts although work waits, once for each span', () => {
    const { world, pass } = setup();
    world.waiting = 21_838;
    pass(6);
    expect(world.told).toEqual([{ waiting: 21_838, ms: 5 * MINUTE }]);
    pass(5);
    expect(world.told).toHaveLength(2);
  });

  it('U039 says nothing while tasks start, or where nothing waits', () => {
    const { world, pass } = setup();
    pass(60);
    world.waiting = 1_000;
    for (let i = 0; i < 60; i++) {
      world.started++;
      pass(1);
    }
    world.waiting = 0;
    pass(60);
    expect(world.told).toEqual([]);
  });
});
