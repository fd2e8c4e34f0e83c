import { describe, expect, it } from 'vitest';
import { ProcessTable, parseMachine, parseProcess } from './process-table.ts';

const stat = (params: { pid: number; parent: number; ticks: number; flags?: number }): string =>
  `${params.pid} (a ) b) S ${params.parent} 1 1 0 -1 ${params.flags ?? 4194304} 0 0 0 0 ${params.ticks} 1 2 3 20 0 1 0`;

describe('/proc', () => {
  it('reads a process whose name has brackets and spaces', () => {
    const line = parseProcess(stat({ pid: 42, parent: 7, ticks: 10 }));
    expect(line).toEqual({ pid: 42, parent: 7, ticks: 16, isKernel: false });
  });

  it('knows threads of the kernel', () => {
    expect(parseProcess(stat({ pid: 9, parent: 2, ticks: 0, flags: 0x208040 })).isKernel).toBe(
      true,
    );
  });

  it('reads what the machine did, without interrupts, and what was stolen', () => {
    const text = 'cpu  100 20 30 4000 50 6 7 8 0 0\ncpu0 1 2 3 4\n';
    expect(parseMachine(text)).toEqual({ busyTicks: 150, stealTicks: 8 });
  });

  it('sums a process with all below it', () => {
    const lines = [
      { pid: 1, parent: 0, ticks: 1000, isKernel: false },
      { pid: 10, parent: 1, ticks: 5, isKernel: false },
      { pid: 11, parent: 10, ticks: 7, isKernel: false },
      { pid: 12, parent: 11, ticks: 11, isKernel: false },
      { pid: 20, parent: 2, ticks: 13, isKernel: true },
    ];
    const table = new ProcessTable(lines);
    expect(table.treeTicks(10)).toBe(23);
    expect(table.treeTicks(99)).toBe(0);
    expect(table.kernelTicks()).toBe(13);
  });

  it('finds this very process', () => {
    expect(ProcessTable.read().tree(process.pid)[0]).toMatchObject({ parent: process.ppid });
  });
});
