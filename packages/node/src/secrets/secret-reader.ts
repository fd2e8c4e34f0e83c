import { type Definition, type Store, StoreError } from '@signalbox/store';
import type { Sealed, SecretBox } from './seal.ts';

export const SECRET_KIND = 'secret';

/** The row of a secret. */
export interface StoredSecret {
  readonly sealed: Sealed;
}

/** What a sealed value is bound to: copied into the row of another secret, it cannot be opened. */
export function secretSubject(tenant: string, name: string): string {
  return `secret ${tenant}/${name}`;
}

/** Why an attempt cannot get a secret. Other attempts cannot get it either until a person changes something. */
export interface SecretError {
  readonly error: string;
}

/**
 * Reads values of secrets when attempts are sent. Nothing is cached: a new value takes effect with the
 * next attempt, on every node, and no value stays in memory longer than its message.
 */
export class SecretReader {
  readonly #store: Store;
  readonly #box: SecretBox | undefined;

  constructor(params: { store: Store; box: SecretBox | undefined }) {
    this.#store = params.store;
    this.#box = params.box;
  }

  async read(
    tenant: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, string> | SecretError> {
    if (this.#box === undefined) {
      return { error: 'secret_unreadable: this node has no root key to decrypt secrets with' };
    }
    const values = new Map<string, string>();
    for (const name of names) {
      const found = await this.#find(tenant, name);
      if (found === 'damaged') {
        return { error: `secret_unreadable: the stored secret ${name} is damaged; set it again` };
      }
      if (found === null || found.deleted) {
        return { error: `secret_not_found: the tenant has no secret ${name}` };
      }
      const { sealed } = JSON.parse(found.body) as StoredSecret;
      const value = this.#box.open(sealed, secretSubject(tenant, name));
      if (value === null) {
        const why = 'it was encrypted with another root key; set it again';
        return { error: `secret_unreadable: the secret ${name} cannot be decrypted: ${why}` };
      }
      values.set(name, value);
    }
    return values;
  }

  /** A damaged row is an error of the definition: waiting for another worker does not help. */
  async #find(tenant: string, name: string): Promise<Definition | 'damaged' | null> {
    try {
      return await this.#store.getDefinition({ tenant, kind: SECRET_KIND, name });
    } catch (error) {
      if (error instanceof StoreError && error.kind === 'damaged') return 'damaged';
      throw error;
    }
  }
}
