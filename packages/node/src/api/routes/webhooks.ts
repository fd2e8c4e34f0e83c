import { Type } from '@signalbox/protocol/type';
import { readableWebhookSecret } from '../../graph/webhook-secret.ts';
import { type Route, route } from '../route.ts';

export const webhooksRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/webhook-secret',
    role: 'admin',
    summary:
      "Returns the secret that signs the tenant's webhooks; generated on first use, and after a change of the root key",
    response: { 200: Type.Object({ secret: Type.String() }) },
    audit: 'webhook.secret',
    handler: async ({ context, caller }) => ({
      secret: await readableWebhookSecret(context, caller.tenant),
    }),
  }),
];
