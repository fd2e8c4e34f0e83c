import { type Route, route } from '../route.ts';

export const metricsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/metrics',
    role: 'viewer',
    platform: true,
    everyTenant: true,
    summary: 'Get the metrics in Prometheus text format',
    response: { 200: null },
    handler: async ({ context, reply }) => {
      reply.type('text/plain; version=0.0.4; charset=utf-8');
      return context.metrics.text();
    },
  }),
];
