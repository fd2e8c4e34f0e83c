import type { Checker } from './checker.ts';

interface Trust {
  readonly node: string;
  readonly from: number;
  until: number;
  over: boolean;
}

/** The longest lease that there may be. */
const FAR_BACK_MS = 900_000;

/**
 * C5: no two nodes trust their lease on a partition at once, on the reference clock. A forward step
 * of the store's clock shortens the old owner's lease under its feet; what it still believes then
 * is harmless, because the epoch in its commits is not (C4), so such a meeting is not counted.
 */
export const trustedIntervals: Checker = {
  name: 'C5',
  promise: 'no two owners trusted at once',
  check: (evidence) => {
    const problems: string[] = [];
    const trusts = new Map<number, Trust[]>();
    // A lease that outlasts any possible one, because the clock went far back, counts as run out.
    const steps = evidence.events.filter((event) => {
      return event.kind === 'clock.step' && (event.byMs > 0 || event.byMs < -FAR_BACK_MS);
    });
    const newest = (node: string, partition: number) =>
      trusts.get(partition)?.findLast((trust) => trust.node === node && !trust.over);
    for (const event of evidence.events) {
      switch (event.kind) {
        case 'lease.acquired': {
          const list = trusts.get(event.partition) ?? [];
          trusts.set(event.partition, list);
          // Taken anew by the same process, after it could not read the partition in.
          const again = newest(event.node, event.partition);
          if (again !== undefined) end(again, event.t);
          list.push({ node: event.node, from: event.t, until: event.trustedUntil, over: false });
          break;
        }
        case 'lease.renewed':
          for (const partition of event.partitions) {
            const trust = newest(event.node, partition);
            if (trust === undefined) continue;
            if (trust.until >= event.t) {
              trust.until = Math.max(trust.until, event.trustedUntil);
              continue;
            }
            // It had run out: nobody relied on it in between.
            trust.over = true;
            const { t: from, trustedUntil: until, node } = event;
            trusts.get(partition)?.push({ node, from, until, over: false });
          }
          break;
        case 'lease.lost': {
          const trust = newest(event.node, event.partition);
          if (trust !== undefined) end(trust, event.t);
          break;
        }
        case 'node.down':
          for (const partition of trusts.keys()) {
            const trust = newest(event.node, partition);
            if (trust !== undefined) end(trust, event.t);
          }
          break;
        default:
      }
    }
    for (const [partition, list] of trusts) {
      for (let i = 0; i < list.length; i++) {
        const later = list[i] as Trust;
        for (let k = i - 1; k >= 0 && k >= i - 6; k--) {
          const earlier = list[k] as Trust;
          if (earlier.node === later.node || earlier.until <= later.from) continue;
          // Granted to a process that stood still until after its time.
          if (later.until <= later.from) continue;
          const stepped = steps.some(({ t }) => t >= earlier.from - 1_000 && t <= later.from);
          if (stepped) continue;
          problems.push(
            `partition ${partition}: ${earlier.node} and ${later.node} both trusted at ${later.from}`,
          );
        }
      }
    }
    return problems;
  },
};

function end(trust: Trust, t: number): void {
  trust.over = true;
  trust.until = Math.min(trust.until, t);
}
