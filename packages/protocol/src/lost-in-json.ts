/** What JSON writes as `{}` or by its positions: nothing of it, or something else, would arrive. */
const LOST = [Map, Set, WeakMap, WeakSet, Promise, ArrayBuffer] as const;

/** A value that JSON does not represent: `input.price` is `NaN`, `input.tags` is `a Set`. */
export interface LostInJson {
  readonly path: string;
  readonly what: string;
  /** NaN, an infinity or an invalid date, which JSON writes as null. */
  readonly isNumber: boolean;
}

/**
 * The first value in it that JSON does not represent: NaN, an infinity, an invalid date, a `Map`, a `Set`, a promise that nobody
 * awaited, bytes in the middle of something else. Null where there is none. `text` is its JSON, which most often
 * shows at once that there is nothing to look for.
 */
export function lostInJson(value: unknown, text: string, root: string): LostInJson | null {
  const mayBeLost = text.includes('null') || text.includes('{}') || text.includes('{"0":');
  if (!mayBeLost) return null;
  const paths = new Map<unknown, string>();
  const pathOf = (holder: unknown, key: string): string => {
    const step = Array.isArray(holder) ? `[${key}]` : `.${key}`;
    const before = paths.get(holder);
    return before === undefined ? root : `${before}${step}`;
  };
  let lost: LostInJson | null = null;
  // Sees what JSON sees, `toJSON` included.
  JSON.stringify(value, function look(this: unknown, key: string, member: unknown): unknown {
    // `toJSON` has already made null of an invalid date.
    const written = (this as Record<string, unknown>)[key];
    if (lost === null && written instanceof Date && Number.isNaN(written.getTime())) {
      lost = { path: pathOf(this, key), what: 'an invalid Date', isNumber: true };
    }
    const isNumber = typeof member === 'number' && !Number.isFinite(member);
    const isObject = typeof member === 'object' && member !== null;
    if (lost !== null || !(isNumber || isObject)) return member;
    const path = pathOf(this, key);
    if (isNumber) lost = { path, what: String(member), isNumber };
    else if (isLost(member as object)) {
      lost = { path, what: `a ${(member as object).constructor.name}`, isNumber };
    }
    paths.set(member, path);
    return member;
  });
  return lost;
}

function isLost(member: object): boolean {
  return LOST.some((type) => member instanceof type) || ArrayBuffer.isView(member);
}
