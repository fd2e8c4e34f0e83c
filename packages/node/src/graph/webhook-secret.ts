import { randomBytes } from 'node:crypto';
import { type Definition, readCurrentDefinition } from '@signalbox/store';
import type { NodeContext } from '../context/node-context.ts';
import type { Sealed } from '../secrets/seal.ts';

const KIND = 'webhook-secret';
const NAME = 'default';

/** Without a root key, as in an embedded box, there is nothing to encrypt it with. */
type StoredWebhookSecret = { readonly sealed: Sealed } | { readonly secret: string };

type Context = Pick<NodeContext, 'store' | 'triggers'>;

/**
 * The secret with which webhooks of a tenant are signed. Generated when it is first needed and stored as a
 * definition, so that every node signs with the same secret, also after a restart. Rejects if this node
 * cannot decrypt it: a new secret in its place would make receivers refuse what other nodes sign.
 */
export async function webhookSecret(context: Context, tenant: string): Promise<string> {
  const found = await find(context, tenant);
  if (found === null || found.deleted) return generate(context, tenant, found);
  const secret = open(context, tenant, found);
  if (secret !== null) return secret;
  throw new Error(
    'the webhook secret cannot be decrypted; GET /webhook-secret generates a new one',
  );
}

/** The same for an administrator, who can give the receivers a new secret if the root key has changed. */
export async function readableWebhookSecret(context: Context, tenant: string): Promise<string> {
  const found = await readCurrentDefinition(context.store, { tenant, kind: KIND, name: NAME });
  const secret = found === null || found.deleted ? null : open(context, tenant, found);
  return secret ?? generate(context, tenant, found);
}

function find({ store }: Context, tenant: string): Promise<Definition | null> {
  return store.getDefinition({ tenant, kind: KIND, name: NAME });
}

function open({ triggers }: Context, tenant: string, { body }: Definition): string | null {
  const stored = JSON.parse(body) as StoredWebhookSecret;
  if ('secret' in stored) return stored.secret;
  return triggers.secrets?.open(stored.sealed, subjectOf(tenant)) ?? null;
}

async function generate(
  context: Context,
  tenant: string,
  found: Definition | null,
): Promise<string> {
  const { store, triggers } = context;
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const sealed = triggers.secrets?.seal(secret, subjectOf(tenant));
  const stored: StoredWebhookSecret = sealed === undefined ? { secret } : { sealed };
  const result = await store.putDefinition({
    ...{ tenant, kind: KIND, name: NAME, author: 'signalbox' },
    expectedVersion: found?.version ?? 0,
    body: JSON.stringify(stored),
  });
  // Another node was faster: its secret is valid.
  return result.kind === 'conflict' ? webhookSecret(context, tenant) : secret;
}

function subjectOf(tenant: string): string {
  return `webhook ${tenant}`;
}
