import type * as TypeBox from 'typebox';

type Builder = typeof TypeBox.Type;
type Schema = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, Schema>>;

/** Beside the schema, not in it: JSON Schema says in the object what may be absent. */
const optional = new WeakSet<Schema>();

const ANY_TEXT = '^.*$';

function object(properties: Properties, options: Schema = {}): Schema {
  const required = Object.keys(properties).filter((name) => !optional.has(properties[name] ?? {}));
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
}

function asOptional(schema: Schema): Schema {
  const copy = { ...schema };
  optional.add(copy);
  return copy;
}

function mapProperties(
  { properties }: Schema,
  change: (schema: Schema, name: string) => Schema | null,
): Properties {
  const kept = Object.entries(properties as Properties).flatMap(([name, schema]) => {
    const changed = change(schema, name);
    return changed === null ? [] : [[name, changed] as const];
  });
  return Object.fromEntries(kept);
}

const builder = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: Schema) => ({ type: 'null', ...options }),
  Number: (options?: Schema) => ({ type: 'number', ...options }),
  Object: object,
  Omit: (from: Schema, names: readonly string[]) =>
    object(mapProperties(from, (schema, name) => (names.includes(name) ? null : schema))),
  Optional: asOptional,
  Partial: (from: Schema, options?: Schema) => object(mapProperties(from, asOptional), options),
  Record: (key: Schema, value: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { [(key['pattern'] as string | undefined) ?? ANY_TEXT]: value },
    ...options,
  }),
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
  Unsafe: (schema: Schema) => schema,
};

/**
 * Schemas as TypeBox types them, made by a few lines of our own: its builder is hundreds of modules,
 * and to load them one by one was a third of the time in which a node starts. A schema is plain JSON
 * Schema either way, and TypeBox's compiler checks with it.
 */
export const Type = builder as unknown as Pick<Builder, keyof typeof builder>;
