import type { Worker } from '@signalbox/engine';
import type { Page, WorkerView } from '@signalbox/protocol';
import { ApiError, type Caller, type NodeContext } from '../context.ts';
import { workerView } from '../gateway/worker-view.ts';
import { operation } from './operation.ts';
import { refusal, shown } from './refusals.ts';

/** The fleet as this node sees it, by name. */
export const listWorkers = operation(
  async (
    context,
    _caller,
    params: { after?: string; limit?: number },
  ): Promise<Page<WorkerView>> => {
    const limit = Math.min(params.limit ?? 100, 1_000);
    const { workers } = context.loop.engine.core.workers;
    const names = [...workers.keys()].filter((name) => name > (params.after ?? '')).sort();
    const page = names.slice(0, limit);
    const items = page.map((name) => workerView(workers.get(name) as Worker));
    const next = page.at(-1);
    return names.length > limit && next !== undefined ? { items, next } : { items };
  },
);

export const getWorker = operation(
  async (context, _caller, params: { name: string }): Promise<WorkerView> => {
    return workerView(find(context, params.name));
  },
);

type Maintain = 'drainWorker' | 'cordonWorker' | 'uncordonWorker' | 'evictWorker';

export const drainWorker = operation(maintain('drainWorker'));
export const cordonWorker = operation(maintain('cordonWorker'));
export const uncordonWorker = operation(maintain('uncordonWorker'));
export const evictWorker = operation(maintain('evictWorker'));

function maintain(kind: Maintain) {
  return async (
    context: NodeContext,
    _caller: Caller,
    params: { name: string },
  ): Promise<WorkerView> => {
    const worker = find(context, params.name).info.name;
    const answer = await context.loop.execute({ kind, worker });
    if (answer.kind === 'refused') throw refusal(answer);
    return workerView(find(context, worker));
  };
}

function find(context: NodeContext, name: string): Worker {
  const worker = context.loop.engine.core.workers.workers.get(name);
  if (worker === undefined) {
    throw new ApiError('not_found', `no worker of the name ${shown(name)} is attached`);
  }
  return worker;
}
