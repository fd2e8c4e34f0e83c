import { QueueDepth } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import { queueDepth } from '../../operations/index.ts';
import { type Route, route } from '../route.ts';

export const queuesRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/queues',
    role: 'viewer',
    everyTenant: true,
    summary:
      'Get the number of waiting and running tasks by priority; with a platform key, of all tenants',
    response: { 200: Type.Object({ items: Type.Array(QueueDepth) }) },
    handler: ({ context, caller }) => queueDepth(context, caller, {}),
  }),
];
