import { type Route, route } from '../route.ts';

export const metricsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/metrics',
    role: 'viewer',
    platform: true,
    everyTenant: true,
    summary: 'Returns all metrics in the Prometheus text format',
    response: { 200: null },
    contentType: 'text/plain',
    handler: async ({ context, reply }) => {
      reply.type('text/plain; version=0.0.4; charset=utf-8');
      return context.metrics.text();
    },
  }),
];
