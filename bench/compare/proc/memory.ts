import { readFileSync } from 'node:fs';
import { ProcessTable } from './process-table.ts';
import type { Roots } from './usage.ts';

export interface MemoryLine {
  readonly ownKb: number;
  readonly sharedKb: number;
}

/** Reads /proc/PID/status. */
export function parseMemory(text: string): MemoryLine {
  const kb = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return { ownKb: kb('RssAnon'), sharedKb: kb('RssFile') + kb('RssShmem') };
}

/** Processes of one server map the same buffers: what they share counts once, as its largest. */
export function treeMb(lines: readonly MemoryLine[]): number {
  const own = lines.reduce((sum, { ownKb }) => sum + ownKb, 0);
  const shared = Math.max(0, ...lines.map(({ sharedKb }) => sharedKb));
  return Math.round((own + shared) / 1_024);
}

export function readMemoryMb(roots: Roots): Record<string, number> {
  const table = ProcessTable.read();
  return Object.fromEntries(
    Object.entries(roots).map(([name, root]) => [
      name,
      treeMb(table.tree(root).flatMap(({ pid }) => readMemory(pid))),
    ]),
  );
}

function readMemory(pid: number): MemoryLine[] {
  try {
    return [parseMemory(readFileSync(`/proc/${pid}/status`, 'latin1'))];
  } catch {
    // It ended between the listing and the look.
    return [];
  }
}
