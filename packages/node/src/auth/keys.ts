import { type Key, PLATFORM, ROLES, type Role } from '@signalbox/protocol';
import {
  type Definition,
  definitionBytes,
  readPages,
  type Store,
  StoreError,
} from '@signalbox/store';
import { ApiError } from '../errors/api-error.ts';
import { digestOf, makeKey } from './key-format.ts';

/** A revoked or expired key works for at most this long on a node that did not hear of it. */
const CACHE_MS = 3_000;
const CACHE_MAX = 10_000;
const KIND = 'key';
const PAGE = 500;

/** What a key's definition holds. The digest is all that is known of the secret. */
interface KeyBody {
  readonly sha256: string;
  readonly tenant: string;
  readonly role: Role;
  readonly note: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revoked: boolean;
}

export interface KnownKey extends KeyBody {
  readonly id: string;
  readonly version: number;
}

interface Cached {
  readonly key: KnownKey | null;
  readonly at: number;
}

/** The keys in the store: definitions of the platform, found by id. */
export class Keys {
  readonly #store: Store;
  readonly #now: () => number;
  /** What is remembered ages by this one: a wall clock that is set back would keep it for hours. */
  readonly #monotonicMs: () => number;
  readonly #cache = new Map<string, Cached>();
  /** Requests with the same key that arrive together share one read. */
  readonly #reading = new Map<string, Promise<KnownKey | null>>();

  constructor(store: Store, now: () => number, monotonicMs = () => performance.now()) {
    this.#store = store;
    this.#monotonicMs = monotonicMs;
    this.#now = now;
  }

  /** Absent ids are remembered as well: an unknown id costs what a known one does (h03). */
  async find(id: string): Promise<KnownKey | null> {
    const cached = this.#cache.get(id);
    if (cached !== undefined && this.#monotonicMs() - cached.at < CACHE_MS) return cached.key;
    const pending = this.#reading.get(id);
    if (pending !== undefined) return pending;
    const at = this.#monotonicMs();
    const reading = this.#read(id)
      .catch(unlessDamaged)
      .then((key) => this.#remember(id, key, at))
      .finally(() => this.#reading.delete(id));
    this.#reading.set(id, reading);
    return reading;
  }

  /** Whether the id was a good key when it was last asked for. */
  knows(id: string): boolean {
    return this.#cache.get(id)?.key != null;
  }

  async create(params: {
    tenant: string;
    role: Role;
    note: string;
    expiresAt: string | null;
    author: string;
  }): Promise<{ key: KnownKey; text: string }> {
    const { id, secret, text } = makeKey();
    const body: KeyBody = {
      sha256: digestOf(secret).toString('hex'),
      tenant: params.tenant,
      role: params.role,
      note: params.note,
      createdAt: new Date(this.#now()).toISOString(),
      expiresAt: params.expiresAt,
      revoked: false,
    };
    const { author } = params;
    const written = await this.#store.putDefinition({
      tenant: PLATFORM,
      kind: KIND,
      name: id,
      expectedVersion: 0,
      body: JSON.stringify(body),
      author,
    });
    if (written.kind !== 'written')
      throw new ApiError('conflict', 'the key id is already used; retry');
    this.#cache.delete(id);
    return { key: { ...body, id, version: written.version }, text };
  }

  /** Null where none of the tenants has such a key. Revoking twice is revoking once. */
  async revoke(params: {
    tenants: readonly string[];
    id: string;
    author: string;
  }): Promise<KnownKey | null> {
    const key = await this.#read(params.id);
    if (key === null || !params.tenants.includes(key.tenant)) return null;
    if (key.revoked) return key;
    const { id, version, ...body } = key;
    const written = await this.#store.putDefinition({
      tenant: PLATFORM,
      kind: KIND,
      name: id,
      expectedVersion: version,
      body: JSON.stringify({ ...body, revoked: true }),
      author: params.author,
    });
    if (written.kind !== 'written')
      throw new ApiError('conflict', 'another request changed the key at the same time; retry');
    return this.#remember(
      id,
      { ...key, version: written.version, revoked: true },
      this.#monotonicMs(),
    );
  }

  /** The tenants' keys, a page at a time. Keys of others are passed over, not counted. */
  async list(params: {
    tenants: readonly string[];
    after: string | null;
    limit: number;
  }): Promise<KnownKey[]> {
    const found: KnownKey[] = [];
    for await (const page of this.#pages(params.after)) {
      for (const key of page) {
        if (params.tenants.includes(key.tenant)) found.push(key);
        if (found.length === params.limit) return found;
      }
    }
    return found;
  }

  /** The ids of all keys that are not revoked. */
  async ids(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    for await (const page of this.#pages(null)) {
      for (const key of page) if (!key.revoked) ids.add(key.id);
    }
    return ids;
  }

  async *#pages(after: string | null): AsyncGenerator<KnownKey[]> {
    const pages = readPages<Definition>({
      limit: PAGE,
      bytesOf: definitionBytes,
      read: (last, limits) =>
        this.#store.listDefinitions({
          ...{ tenant: PLATFORM, kind: KIND, after: last?.name ?? after },
          ...limits,
        }),
    });
    for await (const page of pages) {
      yield page.filter(({ damaged }) => !damaged).map(keyOf);
    }
  }

  async #read(id: string): Promise<KnownKey | null> {
    const definition = await this.#store.getDefinition({ tenant: PLATFORM, kind: KIND, name: id });
    return definition === null || definition.deleted ? null : keyOf(definition);
  }

  #remember<K extends KnownKey | null>(id: string, key: K, at: number): K {
    this.#cache.delete(id);
    this.#cache.set(id, { key, at });
    if (this.#cache.size > CACHE_MAX) {
      for (const oldest of this.#cache.keys()) {
        this.#cache.delete(oldest);
        break;
      }
    }
    return key;
  }
}

/** Nobody is let in by a damaged row: its key is unknown. The store has named the row. */
function unlessDamaged(error: unknown): null {
  if (error instanceof StoreError && error.kind === 'damaged') return null;
  throw error;
}

function keyOf(definition: Definition): KnownKey {
  const body = JSON.parse(definition.body) as KeyBody;
  if (!ROLES.includes(body.role)) throw new Error(`key ${definition.name} has an unknown role`);
  return { ...body, id: definition.name, version: definition.version };
}

/** As the API shows it: never with its digest. */
export function keyView(key: KnownKey): Key {
  const { id, tenant, role, note, createdAt, expiresAt, revoked } = key;
  return { id, tenant, role, note, createdAt, expiresAt, revoked };
}
