export interface DefinitionKey {
  readonly tenant: string;
  /** 'job', 'schedule', 'tenant', 'key', … */
  readonly kind: string;
  readonly name: string;
}

export interface DefinitionChange extends DefinitionKey {
  readonly expectedVersion: number;
  readonly body: string;
  readonly author: string;
  /**
   * The most live definitions of this kind that the tenant may have. A change that would add a further one is
   * refused with `full`. The count is part of the transaction, so it holds for writers on all nodes.
   */
  readonly countMax?: number;
}

export interface Definition extends DefinitionKey {
  readonly version: number;
  readonly body: string;
  readonly author: string;
  readonly atMs: number;
  readonly deleted: boolean;
  /** The version cannot be read and has no body. Only in lists. */
  readonly damaged?: true;
}

export interface DefinitionCursor {
  readonly atMs: number;
  readonly tenant: string;
  readonly name: string;
  readonly version: number;
}

export type DefinitionResult =
  | { readonly kind: 'written'; readonly version: number }
  | { readonly kind: 'conflict'; readonly currentVersion: number }
  | { readonly kind: 'full'; readonly count: number };
