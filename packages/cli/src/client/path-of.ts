/** Where the API has one of a collection; whatever a person typed as its name is no part of a path. */
export function pathOf(collection: string, name: string | undefined): string {
  return `/${collection}/${encodeURIComponent(name ?? '')}`;
}
