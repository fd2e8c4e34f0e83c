import { setTimeout as sleep } from 'node:timers/promises';
import {
  hasVariable,
  type ProcessRow,
  readProcesses,
  residentBytes,
  startOf,
} from './process-table.ts';

const SWEEPS_MAX = 20;
const SWEEP_PAUSE_MS = 25;

/**
 * A command and everything it started: its process group, its session, its children, and what left
 * all of these but still carries the variable of the attempt.
 */
export class ProcessTree {
  readonly leader: number;
  readonly #variable: string;
  readonly #startedAt: number;
  readonly #isWalled: boolean;

  /** With `isWalled` the leader is bubblewrap, and the command runs inside it. */
  constructor(params: { leader: number; variable: string; isWalled?: boolean }) {
    this.leader = params.leader;
    this.#isWalled = params.isWalled === true;
    this.#variable = params.variable;
    this.#startedAt = startOf(params.leader);
    live.add(this);
    if (live.size === 1) process.on('exit', killLive);
  }

  /** At once to the group; to those who left it as soon as they are found. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    this.#signalGroup(signal);
    for (const row of await this.#members()) {
      if (row.group !== this.leader) send(row.pid, signal);
    }
  }

  /**
   * Asks the command to end by itself. Bubblewrap is left out: its end is the end of everything
   * inside, at once.
   */
  async terminate(): Promise<void> {
    if (!this.#isWalled) return this.signal('SIGTERM');
    const inside = (await this.#members()).filter((row) => !this.#isWall(row));
    // Nobody inside yet, so nothing to clean up. By force: while bubblewrap builds its wall, the
    // end of one half of it does not end the other.
    if (inside.length === 0) return this.signal('SIGKILL');
    for (const row of inside) send(row.pid, 'SIGTERM');
  }

  /** Waits until nothing is left of it, or the time is over. */
  async gone(msLeft: () => number): Promise<void> {
    while (msLeft() > 0 && (await this.#members()).length > 0) {
      await sleep(Math.min(SWEEP_PAUSE_MS, Math.max(msLeft(), 0)));
    }
  }

  /** Kills until nothing is left; false where something still is, such as a process stuck in the kernel. */
  async end(): Promise<boolean> {
    for (let sweep = 0; sweep < SWEEPS_MAX; sweep++) {
      const members = await this.#members();
      if (members.length === 0) return true;
      for (const row of members) send(row.pid, 'SIGKILL');
      await sleep(SWEEP_PAUSE_MS);
    }
    return false;
  }

  async residentBytes(maxAgeMs: number): Promise<number> {
    const rows = this.#related(await readProcesses(maxAgeMs));
    return rows.reduce((sum, row) => sum + residentBytes(row.pid), 0);
  }

  /** The leader is gone: its number may soon be another's. */
  forget(): void {
    live.delete(this);
    if (live.size === 0) process.off('exit', killLive);
  }

  killGroup(): void {
    this.#signalGroup('SIGKILL');
  }

  #signalGroup(signal: NodeJS.Signals): void {
    send(-this.leader, signal);
  }

  /** Bubblewrap itself, and its child: the first process of the inner process table. */
  #isWall(row: ProcessRow): boolean {
    return row.pid === this.leader || row.parent === this.leader;
  }

  async #members(): Promise<readonly ProcessRow[]> {
    const rows = await readProcesses();
    const related = new Set(this.#related(rows));
    const strangers = rows.filter((row) => !related.has(row) && row.startedAt >= this.#startedAt);
    return [...related, ...strangers.filter((row) => hasVariable(row.pid, this.#variable))];
  }

  #related(rows: readonly ProcessRow[]): readonly ProcessRow[] {
    const pids = new Set([this.leader]);
    const related = new Set<ProcessRow>();
    // Rows are not in the order of creation: repeat until no new process is found.
    for (let before = -1; before < related.size; ) {
      before = related.size;
      for (const row of rows) {
        if (row.startedAt < this.#startedAt || related.has(row)) continue;
        const isOne =
          row.group === this.leader || row.session === this.leader || pids.has(row.parent);
        if (!isOne && row.pid !== this.leader) continue;
        related.add(row);
        pids.add(row.pid);
      }
    }
    return [...related];
  }
}

const live = new Set<ProcessTree>();

/** Commands must not outlive a worker that exits without waiting. */
function killLive(): void {
  for (const tree of live) tree.killGroup();
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
