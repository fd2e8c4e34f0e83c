import type { Core } from '../core/core.ts';
import type { Task } from '../model/run.ts';
import type { Shape } from '../model/shape.ts';
import type { TenantClass } from '../model/tenant-class.ts';
import type { WorkerKind } from '../model/worker.ts';
import { admitsKind } from './choose.ts';

/** Ready tasks that get a worker before this one, by class. */
export type Ahead = readonly [number, number, number];

/**
 * Who is served before a task, by the order in which work is handed out: every higher class, then
 * tenants that have used less for their weight, then older tasks of its own tenant. Only what wants
 * the same workers counts, and nobody who is at a limit of its own.
 */
export function countAhead(core: Core, task: Task): Ahead {
  const { class: klass, spec } = task.run;
  const mine = core.ofTenant(spec.tenant, klass);
  const ahead: [number, number, number] = [0, 0, 0];
  const competes = competitorsOf(core, task.shape);
  for (const owner of core.tenantClasses()) {
    if (owner.queued === 0 || owner.class > klass || isAtLimit(owner)) continue;
    if (owner.class === klass && owner !== mine && owner.fairKey >= mine.fairKey) continue;
    for (const lane of owner.lanes.values()) {
      if (!competes(lane.queue.shape)) continue;
      for (const other of lane.tasks()) {
        if (owner !== mine || other.order < task.order) ahead[owner.class]++;
      }
    }
  }
  return ahead;
}

function isAtLimit(owner: TenantClass): boolean {
  return owner.class !== 0 && owner.running >= owner.runningMax;
}

/** Whether some worker could take both shapes; asked for each shape once. */
function competitorsOf(core: Core, shape: Shape): (other: Shape) => boolean {
  const kinds = new Set<WorkerKind>();
  for (const worker of core.workers.workers.values()) {
    if (worker.status === 'healthy') kinds.add(worker.workerKind);
  }
  const suitable = [...kinds].filter((kind) => admitsKind(shape, kind));
  const known = new Map<number, boolean>();
  return (other) => {
    let competes = known.get(other.id);
    if (competes === undefined) {
      competes = suitable.some((kind) => admitsKind(other, kind));
      known.set(other.id, competes);
    }
    return competes;
  };
}
