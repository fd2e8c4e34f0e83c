import { randomBytes } from 'node:crypto';
import type { Store } from '@signalbox/store';

const KIND = 'webhook-secret';
const NAME = 'default';

/**
 * The secret with which webhooks of a tenant are signed. Made when it is first needed and kept as a
 * definition, so that every node signs with the same one and a restart changes nothing.
 */
export async function webhookSecret(store: Store, tenant: string): Promise<string> {
  const key = { tenant, kind: KIND, name: NAME };
  const found = await store.getDefinition(key);
  if (found !== null && !found.deleted)
    return (JSON.parse(found.body) as { secret: string }).secret;
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const body = JSON.stringify({ secret });
  const expectedVersion = found?.version ?? 0;
  const result = await store.putDefinition({ ...key, expectedVersion, author: 'signalbox', body });
  // Another node was first: its secret is the one.
  return result.kind === 'conflict' ? webhookSecret(store, tenant) : secret;
}
