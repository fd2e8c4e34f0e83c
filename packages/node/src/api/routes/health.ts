import { Health } from '@signalbox/protocol';
import { checkReadiness } from '../readiness.ts';
import { type Route, route } from '../route.ts';

export const healthRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/health',
    role: 'none',
    summary: 'Check that the process is alive',
    response: { 200: Health },
    handler: async ({ context }) => ({ status: 'ok', checks: {}, version: context.version }),
  }),
  route({
    method: 'GET',
    url: '/ready',
    role: 'none',
    summary: 'Check that the node can accept work; lists the failed checks',
    response: { 200: Health, 503: Health },
    handler: async ({ context, reply }) => {
      const health = await checkReadiness(context);
      if (health.status === 'down') reply.code(503);
      return health;
    },
  }),
];
