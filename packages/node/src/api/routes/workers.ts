import { Cursor, Name, pageOf, WorkerView } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import {
  cordonWorker,
  drainWorker,
  evictWorker,
  getWorker,
  listWorkers,
  uncordonWorker,
} from '../../operations/index.ts';
import { type Route, route } from '../route.ts';

const Named = Type.Object({ name: Name });

function maintaining(
  action: 'drain' | 'cordon' | 'uncordon' | 'evict',
  summary: string,
  maintain: typeof drainWorker,
): Route {
  return route({
    method: 'POST',
    url: `/workers/:name/${action}`,
    role: 'operator',
    platform: true,
    summary,
    params: Named,
    body: Type.Object(
      { reason: Type.Optional(Type.String({ maxLength: 1_024 })) },
      { additionalProperties: false },
    ),
    response: { 200: WorkerView },
    errors: ['not_found'],
    audit: `worker.${action}`,
    handler: async ({ context, caller, params, note }) => {
      const worker = await maintain(context, caller, params);
      note.after = worker.status;
      return worker;
    },
  });
}

export const workersRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/workers',
    role: 'viewer',
    platform: true,
    summary: 'Lists the attached workers by name',
    query: Type.Object(
      {
        after: Type.Optional(Cursor),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      },
      { additionalProperties: false },
    ),
    response: { 200: pageOf(WorkerView) },
    handler: ({ context, caller, query }) => listWorkers(context, caller, query),
  }),
  route({
    method: 'GET',
    url: '/workers/:name',
    role: 'viewer',
    platform: true,
    summary: 'Returns a worker with its capacity, free resources and attempts',
    params: Named,
    response: { 200: WorkerView },
    errors: ['not_found'],
    handler: ({ context, caller, params }) => getWorker(context, caller, params),
  }),
  maintaining(
    'drain',
    'Stops assigning to the worker and ends its attempts, on this node',
    drainWorker,
  ),
  maintaining(
    'cordon',
    'Stops assigning to the worker, on this node; its attempts continue',
    cordonWorker,
  ),
  maintaining('uncordon', 'Assigns attempts to the worker again', uncordonWorker),
  maintaining(
    'evict',
    'Removes all attempts from the worker at once and queues them again',
    evictWorker,
  ),
];
