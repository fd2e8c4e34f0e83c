/** `rows.0.id` of a value; undefined where there is none. */
export function memberAt(root: unknown, path: string): unknown {
  let value = root;
  if (path === '') return value;
  for (const member of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) {
      return undefined;
    }
    value = (value as Record<string, unknown>)[member];
  }
  return value;
}
