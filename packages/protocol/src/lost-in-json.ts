/** What JSON writes as `{}` or by its positions: nothing of it, or something else, would arrive. */
const LOST = [Map, Set, WeakMap, WeakSet, Promise, ArrayBuffer] as const;

/**
 * The first value in it that JSON does not carry, with its path: a `Map`, a `Set`, a promise that nobody awaited,
 * bytes in the middle of something else. Null where there is none. `text` is its JSON, which most often shows at
 * once that there is nothing to look for.
 */
export function lostInJson(
  value: unknown,
  text: string,
  root: string,
): { readonly path: string; readonly type: string } | null {
  if (!text.includes('{}') && !text.includes('{"0":')) return null;
  const paths = new Map<unknown, string>();
  let lost: { path: string; type: string } | null = null;
  JSON.stringify(value, function look(this: unknown, key: string, member: unknown): unknown {
    if (typeof member !== 'object' || member === null) return member;
    const holder = paths.get(this);
    const step = Array.isArray(this) ? `[${key}]` : `.${key}`;
    const path = holder === undefined ? root : `${holder}${step}`;
    const isLost = LOST.some((type) => member instanceof type) || ArrayBuffer.isView(member);
    if (isLost) lost ??= { path, type: member.constructor.name };
    paths.set(member, path);
    return member;
  });
  return lost;
}
