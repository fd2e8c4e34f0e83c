import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as yieldTurn } from 'node:timers/promises';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** In clock ticks since the machine started. */
  readonly startedAt: number;
}

const ROWS_PER_TURN = 100;

let shared: { readonly at: number; readonly rows: Promise<readonly ProcessRow[]> } | null = null;

/**
 * Every process but the dead ones that wait to be reaped; empty where there is no /proc. Attempts
 * that look at about the same time share one look, which on a large machine is thousands of files.
 */
export function readProcesses(maxAgeMs = 0): Promise<readonly ProcessRow[]> {
  const now = performance.now();
  if (shared === null || now - shared.at > maxAgeMs || maxAgeMs === 0) {
    shared = { at: now, rows: readAll() };
  }
  return shared.rows;
}

/** Zero where it cannot be read. */
export function startOf(pid: number): number {
  const stat = readOrNull(`/proc/${pid}/stat`);
  return stat === null ? 0 : (parseStat(pid, stat)?.startedAt ?? 0);
}

export function residentBytes(pid: number): number {
  const status = readOrNull(`/proc/${pid}/status`) ?? '';
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024;
}

export function hasVariable(pid: number, variable: string): boolean {
  const environment = readOrNull(`/proc/${pid}/environ`);
  return environment?.split('\0').includes(variable) === true;
}

async function readAll(): Promise<readonly ProcessRow[]> {
  const rows: ProcessRow[] = [];
  for (const [i, name] of listProcesses().entries()) {
    // On a machine with thousands of processes the worker still has its heartbeats to send.
    if (i % ROWS_PER_TURN === ROWS_PER_TURN - 1) await yieldTurn();
    const stat = readOrNull(`/proc/${name}/stat`);
    const row = stat === null ? null : parseStat(Number(name), stat);
    if (row !== null) rows.push(row);
  }
  return rows;
}

function listProcesses(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** The name of the program is in parentheses and may hold anything, also parentheses and spaces. */
function parseStat(pid: number, stat: string): ProcessRow | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  if (state === 'Z' || state === 'X') return null;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: Number(fields[19]),
  };
}

/** These files are in memory: there is no disk to wait for on another thread. */
function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return null;
  }
}
