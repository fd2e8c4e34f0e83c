import type { AttemptRef, RunId } from '@signalbox/engine';

export function runKey(id: { partition: number; seq: number }): string {
  return `${id.partition}.${id.seq}`;
}

export function taskKey(ref: { partition: number; seq: number; task: number }): string {
  return `${ref.partition}.${ref.seq}/${ref.task}`;
}

/** All of a fencing token: two attempts never share it. */
export function attemptKey(ref: AttemptRef): string {
  return `${ref.partition}.${ref.seq}/${ref.task}#${ref.number}@${ref.epoch}.${ref.token}`;
}

export function sameRun(a: RunId, b: RunId): boolean {
  return a.partition === b.partition && a.seq === b.seq && a.ms === b.ms;
}
