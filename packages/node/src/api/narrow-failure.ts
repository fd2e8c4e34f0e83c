import type { TSchema } from 'typebox';

/** Lists up to this length are explained as they are. */
const ITEMS_EXPLAINED = 100;

interface Shape {
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly maxItems?: number;
}

/** A value that fails as the original does, with at most one item of every long list. */
export interface Narrowed {
  readonly value: unknown;
  /** The original index of that item, by the path of its list. */
  readonly indexes: ReadonlyMap<string, number>;
  /** The first list that is longer than its schema allows. */
  readonly tooLong: { readonly path: string; readonly maxItems: number } | null;
}

/**
 * Explaining a failure visits every item, which takes seconds for 100,000 tasks and blocks the node meanwhile.
 * Checking them is fast, so only the first invalid item of a long list is explained.
 */
export function narrowFailure(
  schema: TSchema,
  value: unknown,
  checkerOf: (items: TSchema) => (item: unknown) => boolean,
): Narrowed {
  const indexes = new Map<string, number>();
  let tooLong: Narrowed['tooLong'] = null;

  const narrow = (shape: Shape, part: unknown, path: string): unknown => {
    if (Array.isArray(part)) {
      const { items, maxItems = Number.POSITIVE_INFINITY } = shape;
      if (items === undefined || part.length <= ITEMS_EXPLAINED) return part;
      if (part.length > maxItems) tooLong ??= { path, maxItems };
      if (tooLong !== null) return [];
      const isValid = checkerOf(items);
      const index = part.findIndex((item) => !isValid(item));
      if (index < 0) return part.slice(0, ITEMS_EXPLAINED);
      indexes.set(path, index);
      return [narrow(items as Shape, part[index], `${path}/0`)];
    }
    if (typeof part !== 'object' || part === null || shape.properties === undefined) return part;
    const members = Object.entries(part).map(([name, member]) => {
      const inner = Object.hasOwn(shape.properties ?? {}, name) ? shape.properties?.[name] : {};
      return [name, narrow(inner as Shape, member, `${path}/${name}`)];
    });
    return Object.fromEntries(members);
  };

  return { value: narrow(schema as Shape, value, ''), indexes, tooLong };
}

/** The path of a failure in the original value, from its path in the narrowed one. */
export function originalPath({ indexes }: Narrowed, path: string): string {
  const steps = path.split('/');
  for (const [list, index] of indexes) {
    const depth = list.split('/').length;
    if (path.startsWith(`${list}/0`) && steps[depth] === '0') steps[depth] = String(index);
  }
  return steps.join('/');
}
