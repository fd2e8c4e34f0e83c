import type { Page, WorkerView } from '@signalbox/protocol';
import { ApiError, type Caller, type Fleet, type NodeContext } from '../../context/index.ts';
import { shown } from '../../errors/refusals.ts';
import { operation } from '../common/operation.ts';
import { paged } from '../common/paged.ts';

interface WorkersQuery {
  readonly after?: string;
  readonly limit?: number;
}

/** The fleet as this node sees it, by name. */
export const listWorkers = operation(
  paged('workers', async (context, _caller, params: WorkersQuery): Promise<Page<WorkerView>> => {
    const limit = Math.min(params.limit ?? 100, 1_000);
    const behind = context.fleet.workers().filter(({ name }) => name > (params.after ?? ''));
    const items = behind.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, limit);
    const next = items.at(-1)?.name;
    return behind.length > limit && next !== undefined ? { items, next } : { items };
  }),
);

export const getWorker = operation(
  async (context, _caller, params: { name: string }): Promise<WorkerView> => {
    return find(context, params.name);
  },
);

export const drainWorker = operation(order((fleet, name) => fleet.drain(name)));
export const cordonWorker = operation(order((fleet, name) => fleet.cordon(name)));
export const uncordonWorker = operation(order((fleet, name) => fleet.uncordon(name)));
export const evictWorker = operation(order((fleet, name) => fleet.evict(name)));

function order(give: (fleet: Fleet, name: string) => Promise<boolean>) {
  return async (
    context: NodeContext,
    _caller: Caller,
    { name }: { name: string },
  ): Promise<WorkerView> => {
    find(context, name);
    await give(context.fleet, name);
    return find(context, name);
  };
}

function find(context: NodeContext, name: string): WorkerView {
  const worker = context.fleet.worker(name);
  if (worker === null) {
    throw new ApiError('not_found', `no worker ${shown(name)} is attached`);
  }
  return worker;
}
