import type { NewSecret, Secret } from '@signalbox/protocol';
import type { Definition } from '@signalbox/store';
import { ApiError } from '../../errors/api-error.ts';
import {
  SECRET_KIND as KIND,
  type StoredSecret,
  secretSubject,
} from '../../secrets/secret-reader.ts';
import { requirePlain } from '../common/check-text.ts';
import type { Expected } from '../common/expected.ts';
import { iso } from '../common/read-time.ts';
import { definedKind, type Prepared, type Saved } from '../definitions/defined-kind.ts';
import { liveBody } from '../definitions/named-definitions.ts';

interface SaveParams {
  readonly name: string;
  readonly secret: NewSecret;
  readonly expected?: Expected;
}

/** Values are encrypted with the root key. Only the dispatch of attempts reads them. */
const secretKind = definedKind({
  kind: KIND,
  show: (_context, definition) => show(definition),
  fromStored: () => null,
  prepare: async (
    context,
    { tenant },
    { name, secret, expected }: SaveParams,
  ): Promise<Prepared<StoredSecret, Saved<'secret', Secret>>> => {
    requirePlain('value', secret.value);
    const { secrets } = context.triggers;
    if (secrets === undefined) {
      throw new ApiError('invalid', 'this node has no root key to encrypt secrets with');
    }
    const sealed = secrets.seal(secret.value, secretSubject(tenant, name));
    return {
      next: (current) => {
        liveBody({ kind: KIND, name }, current, expected);
        return { sealed };
      },
    };
  },
});

export const {
  save: saveSecret,
  list: listSecrets,
  /** Attempts that refer to the secret fail from now on. */
  remove: deleteSecret,
} = secretKind;

function show({ name, version, author, atMs }: Definition): Secret {
  return { name, version, author, at: iso(atMs) };
}
