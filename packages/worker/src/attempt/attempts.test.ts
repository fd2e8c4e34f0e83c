import type { Resources } from '@signalbox/protocol/link';
import { describe, expect, it } from 'vitest';
import { NOTHING } from '../capacity.ts';
import { fakeAttempt } from '../executors/testing/fake-attempt.ts';
import type { Link } from '../link/link.ts';
import { Attempts } from './attempts.ts';
import { type AttemptOwner, HeldAttempt } from './held-attempt.ts';

const here = { name: 'here' } as unknown as Link;
const there = { name: 'there' } as unknown as Link;
const request: Resources = { cpuMilli: 10, memoryMb: 20, gpu: 1, diskMb: 30, slots: 1 };
const owner = { moved: () => {} } as unknown as AttemptOwner;

function setUp() {
  const attempts = new Attempts({ cpuMilli: 100, memoryMb: 100, gpu: 9, diskMb: 100 });
  const take = (seq: number, link: Link) => {
    const { assign } = fakeAttempt({ assign: { ref: [0, seq, 0, 1, 1, 1], request } });
    expect(attempts.capacity.take(request)).toBe(true);
    const held = new HeldAttempt({ assign, link, owner });
    attempts.add(held);
    return held;
  };
  return { attempts, take };
}

describe('the attempts of a worker', () => {
  it('tells a node what the attempts of others take', () => {
    const { attempts, take } = setUp();
    take(1, here);
    const [second, third] = [take(2, there), take(3, there)];
    expect(attempts.foreignUse(there)).toEqual(request);
    expect(attempts.foreignUse(here)).toEqual({
      cpuMilli: 20,
      memoryMb: 40,
      gpu: 2,
      diskMb: 60,
      slots: 2,
    });
    attempts.vacate(second);
    third.link = here;
    expect(attempts.foreignUse(here)).toBe(NOTHING);
  });

  it('counts one that is forgotten and not gone as long as it is not gone, and once', () => {
    const { attempts, take } = setUp();
    const held = take(1, here);
    attempts.forget(held);
    attempts.forget(held);
    expect([attempts.size, attempts.running, attempts.occupying]).toEqual([0, 0, 1]);
    expect(attempts.foreignUse(there)).toEqual(request);
    attempts.vacate(held);
    attempts.vacate(held);
    expect(attempts.occupying).toBe(0);
    expect(attempts.foreignUse(there)).toBe(NOTHING);
    expect(attempts.capacity.used).toEqual(NOTHING);
  });
});
