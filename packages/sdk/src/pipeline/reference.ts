declare const value: unique symbol;
const place = Symbol('place');

/** Where a value comes from: an output of a task, or the run's input (`task` is null). */
export interface Place {
  /** The pipeline that it belongs to. */
  readonly owner: object;
  readonly task: string | null;
  /** `rows.0.id`; empty for the whole. */
  readonly path: string;
  /** Whoever is given it can do without. */
  readonly isOptional?: true;
}

/** A reference to a future value. */
export interface Referring<T> {
  /** Only for the type checker. Not optional: any object would pass for a reference. */
  readonly [value]: T;
}

/** A reference to a task output or to the input of the run; its members are references too. */
export type Ref<T> = Referring<T> & Members<T>;

type Members<T> = T extends readonly (infer Item)[]
  ? { readonly [index: number]: Ref<Item> }
  : T extends object
    ? { readonly [Name in keyof T & string]-?: Ref<T[Name]> }
    : unknown;

/** `ref.files[0].name` is recorded as the path `files.0.name`: nothing is read here. */
export function reference<T>(at: Place): Ref<T> {
  const members = new Map<string, Ref<unknown>>();
  const proxy = new Proxy(
    {},
    {
      get(_target, name) {
        if (name === place) return at;
        if (typeof name === 'symbol') return undefined;
        let member = members.get(name);
        if (member === undefined) {
          member = reference({ ...at, path: extended(at.path, name) });
          members.set(name, member);
        }
        return member;
      },
    },
  );
  return proxy as Ref<T>;
}

/** A task's own reference, beside what else there is to know of it. */
export function referring<T, Facts extends object>(at: Place, facts: Facts): Facts & Referring<T> {
  return { ...facts, [place]: at } as unknown as Facts & Referring<T>;
}

/**
 * Marks an input as optional. If a parent failed or was skipped and the task runs anyway, an optional input
 * of that parent is undefined; without `optional` the task fails with the name of the missing input.
 */
export function optional<T>(of: Referring<T>): Referring<T | undefined> {
  const at = placeOf(of);
  if (at === null) throw new TypeError('optional() takes a task or a reference to a task output');
  return referring<T | undefined, object>({ ...at, isOptional: true }, {});
}

/** Where it points; null for everything that is no reference. */
export function placeOf(maybe: unknown): Place | null {
  if (typeof maybe !== 'object' || maybe === null) return null;
  return (maybe as { readonly [place]?: Place })[place] ?? null;
}

function extended(path: string, name: string): string {
  if (name === '' || name.includes('.')) {
    throw new RangeError(
      `the member ${JSON.stringify(name)} cannot be used in a path: a name is not empty and has no dot`,
    );
  }
  return path === '' ? name : `${path}.${name}`;
}
