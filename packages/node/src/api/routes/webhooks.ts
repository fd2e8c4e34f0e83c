import { Type } from '@signalbox/protocol/type';
import { webhookSecret } from '../../graph/webhook-secret.ts';
import { type Route, route } from '../route.ts';

export const webhooksRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/webhook-secret',
    role: 'admin',
    summary: 'Get the secret that signs the webhooks of the tenant; created on first use',
    response: { 200: Type.Object({ secret: Type.String() }) },
    audit: 'webhook.secret',
    handler: async ({ context, caller }) => ({
      secret: await webhookSecret(context.store, caller.tenant),
    }),
  }),
];
