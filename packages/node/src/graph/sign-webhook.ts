import { createHmac } from 'node:crypto';

/**
 * Headers of a webhook, as the Standard Webhooks specification has them: whoever holds the tenant's
 * secret can tell that it is ours, fresh, and which one it is.
 */
export function webhookHeaders(params: {
  secret: string;
  id: string;
  atSeconds: number;
  body: string;
}): Record<string, string> {
  const { secret, id, atSeconds, body } = params;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${atSeconds}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': `${atSeconds}`,
    'webhook-signature': `v1,${signature}`,
  };
}
