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
 * awaited, bytes in the middle of something else, a function or a symbol. Null where there is none. `text` is its JSON, which most often
 * shows at once that there is nothing to look for.
 */
export function lostInJson(value: unknown, text: string, root: string): LostInJson | null {
  const mayBeLost = text.includes('null') || text.includes('{}') || text.includes('{"0":');
  if (!mayBeLost) return leftOut(value, root);
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
  return lost ?? leftOut(value, root);
}

/** Deeper values are searched with a list of their own, which costs more. */
const QUICK_DEPTH = 16;

/** A quick look without paths, because every submission and every output passes here. */
function mayLeaveOut(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'function' || typeof value === 'symbol';
  }
  if (depth === 0 || 'toJSON' in value) return true;
  if (ArrayBuffer.isView(value)) return false;
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    const type = typeof member;
    if (type === 'function' || type === 'symbol') return true;
    if (type === 'object' && mayLeaveOut(member, depth - 1)) return true;
  }
  return false;
}

/** The first function or symbol, which JSON leaves out without a word. */
function leftOut(value: unknown, root: string): LostInJson | null {
  if (!mayLeaveOut(value, QUICK_DEPTH)) return null;
  return find(value, root, (member) => {
    if (typeof member === 'function') return 'a function';
    return typeof member === 'symbol' ? 'a symbol' : null;
  });
}

/** Why `JSON.stringify` throws, with the path: a BigInt, or a value that contains itself. */
export function refusedByJson(value: unknown, root: string): LostInJson | null {
  return find(value, root, (member, isInside) => {
    if (typeof member === 'bigint') return 'a BigInt';
    return isInside ? 'a reference to a value that contains it' : null;
  });
}

interface Open {
  readonly path: string;
  readonly value: unknown;
  /** The values that contain it, the nearest first. */
  readonly within: Within | null;
}

interface Within {
  readonly value: object;
  readonly outer: Within | null;
}

/** The first member, in order, that `whatOf` names. Goes on behind `toJSON`, as JSON does. */
function find(
  root: unknown,
  rootPath: string,
  whatOf: (member: unknown, isInside: boolean) => string | null,
): LostInJson | null {
  // A list of its own: deep values must not overflow the stack.
  const open: Open[] = [{ path: rootPath, value: root, within: null }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, within } = next;
    const value = asWritten(next.value);
    const isObject = typeof value === 'object' && value !== null;
    const isInside = isObject && contains(within, value);
    const what = whatOf(value, isInside);
    if (what !== null) return { path, what, isNumber: false };
    if (!isObject || isInside || ArrayBuffer.isView(value)) continue;
    const inner = { value, outer: within };
    const members = Object.entries(value);
    for (let i = members.length - 1; i >= 0; i--) {
      const [key, member] = members[i] as [string, unknown];
      if (member === null || typeof member === 'string' || typeof member === 'number') continue;
      const step = Array.isArray(value) ? `[${key}]` : `.${key}`;
      open.push({ path: `${path}${step}`, value: member, within: inner });
    }
  }
  return null;
}

function asWritten(value: unknown): unknown {
  const { toJSON } = (value ?? {}) as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value, '') as unknown) : value;
}

function contains(within: Within | null, value: object): boolean {
  for (let each = within; each !== null; each = each.outer) if (each.value === value) return true;
  return false;
}

function isLost(member: object): boolean {
  return LOST.some((type) => member instanceof type) || ArrayBuffer.isView(member);
}
