import { describe, expect, it } from 'vitest';
import { isDisturbed } from './quiet.ts';
import { type Reading, totalCpuSeconds, usageBetween } from './usage.ts';

const first: Reading = {
  atMs: 1_000,
  machine: { busyTicks: 500, stealTicks: 10 },
  ownTicks: 100,
  kernelTicks: 50,
  ticksOf: { worker: 20, postgres: 40 },
};

const later = (change: Partial<Reading> = {}): Reading => ({
  atMs: 3_000,
  machine: { busyTicks: 800, stealTicks: 10 },
  ownTicks: 380,
  kernelTicks: 60,
  ticksOf: { worker: 120, postgres: 200 },
  ...change,
});

describe('usage between two readings', () => {
  it('gives seconds by process', () => {
    const usage = usageBetween(first, later());
    expect(usage.seconds).toBe(2);
    expect(usage.cpuSeconds).toEqual({ worker: 1, postgres: 1.6 });
    expect(totalCpuSeconds(usage)).toBeCloseTo(2.6);
  });

  it('calls foreign what neither its own processes nor the kernel used', () => {
    expect(usageBetween(first, later()).foreignCores).toBeCloseTo(0.05);
    expect(usageBetween(first, later({ ownTicks: 330 })).foreignCores).toBeCloseTo(0.3);
  });

  it('is disturbed by more than a fifth of a core, whether used or stolen', () => {
    expect(isDisturbed(usageBetween(first, later()))).toBe(false);
    expect(isDisturbed(usageBetween(first, later({ ownTicks: 330 })))).toBe(true);
    const stolen = { busyTicks: 800, stealTicks: 50 };
    expect(isDisturbed(usageBetween(first, later({ machine: stolen })))).toBe(true);
  });
});
