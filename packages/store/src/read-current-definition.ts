import type { Definition } from './definition.ts';
import { StoreError } from './errors.ts';
import { definitionBytes } from './page-bytes.ts';
import { readPages } from './read-pages.ts';
import type { Store } from './store.ts';

/**
 * The version that a change replaces. A damaged one counts as deleted, so that saving the definition
 * again repairs it.
 */
export async function readCurrentDefinition(
  store: Store,
  key: { readonly tenant: string; readonly kind: string; readonly name: string },
): Promise<Definition | null> {
  try {
    return await store.getDefinition(key);
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind !== 'damaged') throw error;
    const pages = readPages<Definition>({
      limit: 500,
      bytesOf: definitionBytes,
      read: (last, limits) =>
        store.listDefinitionVersions({ ...key, after: last?.version ?? 0, ...limits }),
    });
    let newest: Definition | null = null;
    for await (const page of pages) newest = page.at(-1) ?? newest;
    return newest && { ...newest, deleted: true };
  }
}
