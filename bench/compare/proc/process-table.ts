import { readdirSync, readFileSync } from 'node:fs';

/** One process of /proc. Times are in ticks of a hundredth of a second. */
export interface ProcessLine {
  readonly pid: number;
  readonly parent: number;
  /** Its own time, and that of its children that have ended. */
  readonly ticks: number;
  /** Of the kernel itself: writes back pages, compacts memory; nobody's program. */
  readonly isKernel: boolean;
}

export const TICKS_PER_SECOND = 100;
const KERNEL_THREAD = 0x0020_0000;

/** Reads /proc/PID/stat. The name of a program may contain anything, so fields count from its end. */
export function parseProcess(text: string): ProcessLine {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (index: number): number => Number(fields[index]);
  return {
    pid: Number.parseInt(text, 10),
    parent: field(1),
    ticks: field(11) + field(12) + field(13) + field(14),
    isKernel: (field(6) & KERNEL_THREAD) !== 0,
  };
}

export interface MachineLine {
  /** Programs and kernel; interrupts are left out, because measured disks and sockets cause them. */
  readonly busyTicks: number;
  /** Taken by other guests of the host. */
  readonly stealTicks: number;
}

/** Reads the first line of /proc/stat. */
export function parseMachine(text: string): MachineLine {
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] =
    text.split('\n')[0]?.trim().split(/\s+/).slice(1).map(Number) ?? [];
  return { busyTicks: user + nice + system, stealTicks: steal };
}

export class ProcessTable {
  readonly #byPid: ReadonlyMap<number, ProcessLine>;
  readonly #children = new Map<number, number[]>();

  constructor(lines: readonly ProcessLine[]) {
    this.#byPid = new Map(lines.map((line) => [line.pid, line]));
    for (const { pid, parent } of lines) {
      const siblings = this.#children.get(parent);
      if (siblings === undefined) this.#children.set(parent, [pid]);
      else siblings.push(pid);
    }
  }

  static read(): ProcessTable {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return new ProcessTable(pids.flatMap(readProcess));
  }

  /** A process with everything below it. */
  tree(root: number): readonly ProcessLine[] {
    const found: ProcessLine[] = [];
    const open = [root];
    for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
      const line = this.#byPid.get(pid);
      if (line === undefined) continue;
      found.push(line);
      open.push(...(this.#children.get(pid) ?? []));
    }
    return found;
  }

  treeTicks(root: number): number {
    return sumTicks(this.tree(root));
  }

  kernelTicks(): number {
    return sumTicks([...this.#byPid.values()].filter((line) => line.isKernel));
  }
}

function sumTicks(lines: readonly ProcessLine[]): number {
  return lines.reduce((sum, { ticks }) => sum + ticks, 0);
}

function readProcess(pid: string): ProcessLine[] {
  try {
    return [parseProcess(readFileSync(`/proc/${pid}/stat`, 'latin1'))];
  } catch {
    // It ended between the listing and the look.
    return [];
  }
}
