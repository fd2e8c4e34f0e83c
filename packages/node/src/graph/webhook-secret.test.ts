import { createMemoryStore } from '@signalbox/store/memory';
import { expect, it } from 'vitest';
import type { NodeContext } from '../context/node-context.ts';
import { SecretBox } from '../secrets/seal.ts';
import { readableWebhookSecret, webhookSecret } from './webhook-secret.ts';

const store = createMemoryStore({ now: () => 0 });
const nodeWith = (secrets?: SecretBox) =>
  ({ store, triggers: secrets === undefined ? {} : { secrets } }) as unknown as NodeContext;
const bodyOf = async (tenant: string) =>
  (await store.getDefinition({ tenant, kind: 'webhook-secret', name: 'default' }))?.body ?? '';

it('SEC-10 the secret of webhooks is stored encrypted, and equal on all nodes', async () => {
  const secret = await webhookSecret(nodeWith(new SecretBox('root')), 'a');
  expect(secret).toMatch(/^whsec_/);
  expect(await bodyOf('a')).not.toContain(secret.slice('whsec_'.length, -1));
  expect(await webhookSecret(nodeWith(new SecretBox('root')), 'a')).toBe(secret);
  expect(await readableWebhookSecret(nodeWith(new SecretBox('root')), 'a')).toBe(secret);
});

it('the secret of webhooks is replaced only when an administrator reads it', async () => {
  const before = await webhookSecret(nodeWith(new SecretBox('root')), 'b');
  const other = nodeWith(new SecretBox('another'));
  await expect(webhookSecret(other, 'b')).rejects.toThrow('cannot be decrypted');
  await expect(webhookSecret(nodeWith(), 'b')).rejects.toThrow('cannot be decrypted');
  const after = await readableWebhookSecret(other, 'b');
  expect(after).not.toBe(before);
  expect(await webhookSecret(other, 'b')).toBe(after);
});

it('without a root key the secret of webhooks is kept as it is', async () => {
  const secret = await webhookSecret(nodeWith(), 'c');
  expect(await webhookSecret(nodeWith(), 'c')).toBe(secret);
  expect(await webhookSecret(nodeWith(new SecretBox('root')), 'c')).toBe(secret);
});
