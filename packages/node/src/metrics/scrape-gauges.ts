import { parseQueueLane, type Resources } from '@signalbox/engine';
import type { CommitLoop } from '../loop/index.ts';
import type { MetricSet } from './definitions.ts';

type Core = CommitLoop['engine']['core'];

/** Counts that the engine has anyway: read when somebody asks, so they cost nothing in between. */
export function scrapeLoop(params: {
  set: MetricSet;
  loop: CommitLoop;
  tenant: (name: string) => string;
}): void {
  const { set, loop } = params;
  const { core } = loop.engine;
  scrapeQueues(set, core, params.tenant);
  set.lag.set(oldestWaitMs(core, loop.time.now()) / 1_000);
  const owned = [...loop.leases.held.keys()].filter((partition) => loop.owns(partition)).length;
  set.partitions.set(owned);
  set.isLeader.set(owned > 0 ? 1 : 0);
  set.streamLag.set(loop.waiting);
  scrapeWorkers(set, core);
}

function scrapeQueues(set: MetricSet, core: Core, tenant: (name: string) => string): void {
  set.depth.reset();
  set.running.reset();
  let pending = 0;
  // Added, not set: many tenants may share the last name.
  const queued = (count: number, klass: string, of: string): void => {
    set.depth.inc({ priority: `P${klass}`, tenant: tenant(of) }, count);
    pending += count;
  };
  for (const owner of core.tenantClasses()) {
    queued(owner.queued, String(owner.class), owner.tenant);
    set.running.inc({ priority: `P${owner.class}`, tenant: tenant(owner.tenant) }, owner.running);
  }
  for (const book of core.books.values()) {
    for (const lane of book.lanes.values()) {
      const queue = parseQueueLane(lane.name);
      if (queue !== null) queued(lane.parked, String(queue.class), queue.tenant);
    }
  }
  set.pending.set(pending);
}

/** The longest wait among the first of each queue; parked runs are younger than those in memory. */
function oldestWaitMs(core: Core, now: number): number {
  let oldest = now;
  for (const owner of core.tenantClasses()) {
    for (const lane of owner.lanes.values()) {
      const first = lane.tasks()[Symbol.iterator]().next();
      if (first.done === true) continue;
      const task = first.value;
      oldest = Math.min(oldest, Math.max(task.run.ms, task.dueAt));
    }
  }
  return now - oldest;
}

const RESOURCES: readonly (keyof Resources)[] = ['cpuMilli', 'memoryMb', 'gpu', 'diskMb', 'slots'];

function scrapeWorkers(set: MetricSet, core: Core): void {
  let attached = 0;
  const used: Record<string, number> = {};
  for (const worker of core.workers.workers.values()) {
    if (worker.status !== 'detached') attached++;
    for (const resource of RESOURCES) {
      const use = worker.info.total[resource] - worker.free[resource];
      used[resource] = (used[resource] ?? 0) + use;
    }
  }
  set.workers.set(attached);
  for (const resource of RESOURCES) {
    const total = core.workers.total[resource];
    set.utilisation.set({ resource }, total === 0 ? 0 : (used[resource] ?? 0) / total);
  }
}
