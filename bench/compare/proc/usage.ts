import { readFileSync } from 'node:fs';
import { nowMs } from '../clock.ts';
import { type MachineLine, ProcessTable, parseMachine, TICKS_PER_SECOND } from './process-table.ts';

/** What every process has used up to an instant. */
export interface Reading {
  readonly atMs: number;
  readonly machine: MachineLine;
  readonly ownTicks: number;
  readonly kernelTicks: number;
  readonly ticksOf: Readonly<Record<string, number>>;
}

export interface Usage {
  readonly seconds: number;
  /** By the names that the roots were given; each with everything below it. */
  readonly cpuSeconds: Readonly<Record<string, number>>;
  /** Used by processes that are not below this one, in cores. */
  readonly foreignCores: number;
  readonly stealCores: number;
}

export type Roots = Readonly<Record<string, number>>;

export function readUsage(roots: Roots): Reading {
  const table = ProcessTable.read();
  return {
    atMs: nowMs(),
    machine: parseMachine(readFileSync('/proc/stat', 'latin1')),
    ownTicks: table.treeTicks(process.pid),
    kernelTicks: table.kernelTicks(),
    ticksOf: Object.fromEntries(
      Object.entries(roots).map(([name, pid]) => [name, table.treeTicks(pid)]),
    ),
  };
}

export function usageBetween(before: Reading, after: Reading): Usage {
  const seconds = (after.atMs - before.atMs) / 1_000;
  const cores = (ticks: number): number => ticks / TICKS_PER_SECOND / seconds;
  const busy = after.machine.busyTicks - before.machine.busyTicks;
  const own = after.ownTicks - before.ownTicks;
  const kernel = after.kernelTicks - before.kernelTicks;
  return {
    seconds,
    cpuSeconds: Object.fromEntries(
      Object.entries(after.ticksOf).map(([name, ticks]) => [
        name,
        (ticks - (before.ticksOf[name] ?? 0)) / TICKS_PER_SECOND,
      ]),
    ),
    foreignCores: Math.max(0, cores(busy - own - kernel)),
    stealCores: cores(after.machine.stealTicks - before.machine.stealTicks),
  };
}

export function totalCpuSeconds({ cpuSeconds }: Usage): number {
  return Object.values(cpuSeconds).reduce((sum, each) => sum + each, 0);
}
