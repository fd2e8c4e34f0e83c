import type { DumpedWorker } from '../dump.ts';

/** Nothing runs any more: every worker is healthy and has all its slots free, on every node. */
export function judgeWorkers(workers: readonly DumpedWorker[]): string[] {
  return workers.flatMap(({ node, name, status, attempts, slots, freeSlots }) => {
    const where = `${name} on ${node}`;
    if (status !== 'healthy') return [`${where} is ${status}`];
    if (attempts === 0 && freeSlots === slots) return [];
    return [`${where} is idle, with ${attempts} attempts and ${freeSlots} of ${slots} slots free`];
  });
}
