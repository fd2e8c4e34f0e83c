import type { NewSecret, Page, Secret } from '@signalbox/protocol';
import type { Definition } from '@signalbox/store';
import { ApiError } from '../../errors/api-error.ts';
import {
  SECRET_KIND as KIND,
  type StoredSecret,
  secretSubject,
} from '../../secrets/secret-reader.ts';
import { requirePlain } from '../common/check-text.ts';
import type { Expected } from '../common/expected.ts';
import { operation } from '../common/operation.ts';
import { paged } from '../common/paged.ts';
import { iso } from '../common/read-time.ts';
import {
  changeNamed,
  deleted,
  type ListParams,
  listNamed,
  liveBody,
  type Named,
  type Next,
  requireName,
} from '../definitions/named-definitions.ts';

export interface SavedSecret {
  readonly secret: Secret;
  readonly outcome: 'created' | 'changed';
}

const named = (name: string): Named => ({ kind: KIND, name });

/** Stores a value, encrypted with the root key. Nothing reads it back but the dispatch of attempts. */
export const saveSecret = operation(
  async (
    context,
    caller,
    params: { name: string; secret: NewSecret; expected?: Expected },
  ): Promise<SavedSecret> => {
    const { name, expected } = params;
    const { value } = params.secret;
    requireName(named(name));
    requirePlain('value', value);
    const { secrets } = context.triggers;
    if (secrets === undefined) {
      throw new ApiError('invalid', 'this node has no root key to encrypt secrets with');
    }
    const sealed = secrets.seal(value, secretSubject(caller.tenant, name));
    const next: Next<StoredSecret> = (current) => {
      liveBody(named(name), current, expected);
      return { sealed };
    };
    const { now, outcome } = await changeNamed(context, caller, {
      ...named(name),
      ...expected,
      next,
    });
    return { secret: show(now), outcome: outcome === 'created' ? 'created' : 'changed' };
  },
);

export const listSecrets = operation(
  paged(
    'secrets',
    (context, caller, params: ListParams): Promise<Page<Secret>> =>
      listNamed(context, caller, { ...params, kind: KIND, show }),
  ),
);

/** Attempts that refer to it fail from now on. */
export const deleteSecret = operation(
  async (context, caller, params: { name: string } & Expected): Promise<Secret> => {
    const { name, ...expected } = params;
    const next = deleted(named(name));
    const { now } = await changeNamed(context, caller, { ...named(name), ...expected, next });
    return show(now);
  },
);

function show({ name, version, author, atMs }: Definition): Secret {
  return { name, version, author, at: iso(atMs) };
}
