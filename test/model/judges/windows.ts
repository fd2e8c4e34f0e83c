import type { Dump } from '../dump.ts';

/** I10: every window from the first to the last is there once, and has one run where it fired. */
export function judgeWindows({ windows, runs }: Dump, everyMs: number): string[] {
  const problems: string[] = [];
  for (const [i, { at }] of windows.entries()) {
    const before = windows[i - 1]?.at;
    if (before === undefined || at === before + everyMs) continue;
    const what = at === before ? 'is there twice' : `comes after ${new Date(before).toISOString()}`;
    problems.push(`window ${new Date(at).toISOString()} ${what}`);
  }
  const fired = new Map<number, number>();
  for (const { window } of runs) {
    if (window !== null) fired.set(window, (fired.get(window) ?? 0) + 1);
  }
  for (const { at, state } of windows) {
    const count = fired.get(at) ?? 0;
    if (count === (state === 'skipped' ? 0 : 1)) continue;
    problems.push(`window ${new Date(at).toISOString()} is ${state} and has ${count} runs`);
  }
  return problems;
}
