export interface Difference {
  /** Like `tasks[0].retry.maxAttempts`. */
  readonly path: string;
  /** Undefined where it was not there. */
  readonly before: unknown;
  readonly after: unknown;
}

/** What turns one JSON value into the other, leaf by leaf. Order of keys does not count. */
export function differences(before: unknown, after: unknown, path = ''): Difference[] {
  // An added or removed object is listed field by field, because one line of JSON is hard to read.
  if (before === undefined && isFull(after)) return differences(empty(after), after, path);
  if (after === undefined && isFull(before)) return differences(before, empty(before), path);
  if (isTree(before) && isTree(after) && Array.isArray(before) === Array.isArray(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) =>
      differences(before[key], after[key], join(path, key, Array.isArray(after))),
    );
  }
  if (Object.is(before, after) || JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ path, before, after }];
}

interface Tree {
  readonly [key: string]: unknown;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null;
}

/** A list of words or numbers is one leaf: the arguments of a command are read together. */
function isFull(value: unknown): value is Tree {
  return (
    isTree(value) && Object.values(value).some((each) => isTree(each) || !Array.isArray(value))
  );
}

function empty(like: Tree): unknown {
  return Array.isArray(like) ? [] : {};
}

function join(path: string, key: string, isList: boolean): string {
  if (isList) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}
