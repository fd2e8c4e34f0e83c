import type { Static } from 'typebox';
import { Type } from '../type.ts';
import { Instant, Name } from './common.ts';

const closed = { additionalProperties: false } as const;

/** The name of a secret in place of its value. The node replaces it when it sends an attempt to a worker. */
export interface SecretRef {
  readonly secret: string;
}

/**
 * Text, or a reference to a secret. One schema and no union: a union can only say that none of its forms
 * fits.
 */
export const TextOrSecret = Type.Unsafe<string | SecretRef>({
  ...Type.Object({ secret: Name }, closed),
  type: ['string', 'object'],
  description: 'Text, or { secret: NAME }, a reference to a secret of the tenant',
});

export const SECRET_LENGTH_MAX = 32_768;

export const NewSecret = Type.Object(
  { value: Type.String({ minLength: 1, maxLength: SECRET_LENGTH_MAX }) },
  closed,
);

/** A secret as it is read: everything but its value. */
export const Secret = Type.Object({
  name: Name,
  /** Increases with every value. */
  version: Type.Integer(),
  author: Type.String(),
  at: Instant,
});

export type NewSecret = Static<typeof NewSecret>;
export type Secret = Static<typeof Secret>;
