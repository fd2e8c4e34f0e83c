import type {
  Definition,
  DefinitionChange,
  DefinitionCursor,
  DefinitionKey,
  DefinitionResult,
} from '../definition.ts';

/** Versioned definitions by (tenant, kind, name). Lists mark damaged versions, which have no body. */
export interface DefinitionStore {
  /**
   * Writes the next version of a definition. `expectedVersion` is the version that the author read (0 for
   * a new one); otherwise the result is `conflict` with the current version.
   */
  putDefinition(change: DefinitionChange): Promise<DefinitionResult>;
  /** Deletion is soft: a new version that is marked deleted. Restoring writes a further one. */
  deleteDefinition(change: Omit<DefinitionChange, 'body'>): Promise<DefinitionResult>;
  restoreDefinition(change: Omit<DefinitionChange, 'body'>): Promise<DefinitionResult>;
  /** The newest version, or the given one, with `deleted: true` if deleted. `damaged` if it cannot be read. */
  getDefinition(query: DefinitionKey & { version?: number }): Promise<Definition | null>;
  /**
   * Versions after `after`, oldest first; at most `limit`, and with `bytes` up to the version whose
   * `definitionBytes` reach them.
   */
  listDefinitionVersions(
    query: DefinitionKey & { after: number; limit: number; bytes?: number },
  ): Promise<Definition[]>;
  /** Newest versions by name; deleted ones only with `includeDeleted`. */
  listDefinitions(query: {
    tenant: string;
    kind: string;
    after: string | null;
    limit: number;
    bytes?: number;
    includeDeleted?: boolean;
  }): Promise<Definition[]>;
  /** The number of definitions of a kind that the tenant has, without deleted ones. */
  countDefinitions(query: { tenant: string; kind: string }): Promise<number>;
  /**
   * Versions of one kind over all tenants, deleted ones included, in order of (atMs, tenant, name,
   * version) after the cursor. For the node itself; the result is never returned to a caller (I19). Two
   * writers may commit in another order than their times, so a reader of changes also reads back a while.
   */
  listDefinitionChanges(query: {
    kind: string;
    after: DefinitionCursor;
    limit: number;
    bytes?: number;
  }): Promise<Definition[]>;
}
