import { Health } from '@signalbox/protocol';
import { checkReadiness } from '../readiness.ts';
import { type Route, route } from '../route.ts';

export const healthRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/health',
    role: 'none',
    summary: 'Liveness: 200 while the process is running',
    response: { 200: Health },
    handler: async ({ context }) => ({ status: 'ok', checks: {}, version: context.version }),
  }),
  route({
    method: 'GET',
    url: '/ready',
    role: 'none',
    summary: 'Readiness: 200 if the node can work, otherwise 503 with the failed checks',
    response: { 200: Health, 503: Health },
    handler: async ({ context, reply }) => {
      const health = await checkReadiness(context);
      if (health.status === 'down') reply.code(503);
      return health;
    },
  }),
];
