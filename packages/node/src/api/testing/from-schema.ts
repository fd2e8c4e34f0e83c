import { DURATION_PATTERN } from '@signalbox/protocol';
import fc from 'fast-check';

/** As much of JSON Schema as the API uses. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** Values that tend to break a reader that takes them for what they should be. */
export const ODD: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  -0,
  1e300,
  2 ** 31,
  2 ** 53,
  Number.MAX_SAFE_INTEGER,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  '',
  '5',
  'a\0b',
  '\ud800',
  '\u0001x',
  '__proto__',
  'x'.repeat(70_000),
  [],
  [[[]]],
  {},
];
const SHARE_OF_ODD = 40;
const OPTIONAL_MAX = 4;
const LONG = 2_000;
/** Some of them are instants for one reader of dates and none for another. */
const INSTANTS = [
  '1970-01-01T00:00:00Z',
  '2030-02-28T23:59:59.999Z',
  '2030-02-28T23:59:59.123456789+14:00',
  '9999-12-31T23:59:59.999Z',
  '0000-01-01T00:00:00Z',
  '2030-02-30T00:00:00Z',
  '2030-01-01T24:00:00Z',
  '2016-12-31T23:59:60Z',
  '2030-01-01t00:00:00z',
  '2030-01-01 00:00:00Z',
];

/** Values that a schema allows, most of them at its edges, with now and then one that it does not. */
export function fromSchema(schema: Schema, oddIn = SHARE_OF_ODD): fc.Arbitrary<unknown> {
  const odd = fc.oneof(fc.constantFrom(...ODD), fc.constantFrom(...beyond(schema)));
  const arbitrary = allowed(schema, oddIn);
  if (oddIn === 0) return arbitrary;
  return fc.oneof({ weight: oddIn, arbitrary }, { weight: 1, arbitrary: odd });
}

function beyond({ minimum, maximum, maxLength, pattern }: Schema): unknown[] {
  return [
    ...(pattern === DURATION_PATTERN ? ['999y', '5 minutes', '-1s', '9y'.repeat(40)] : []),
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1, maximum - 0.5]),
    ...(maxLength === undefined ? [null] : ['x'.repeat(Math.min(maxLength + 1, 100_000))]),
  ];
}

function allowed(schema: Schema, oddIn: number): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.anyOf !== undefined) {
    return fc.oneof(...schema.anyOf.map((each) => fromSchema(each, oddIn)));
  }
  if (Array.isArray(schema.type)) {
    const types = schema.type as readonly string[];
    return fc.oneof(...types.map((type) => allowed({ ...schema, type }, oddIn)));
  }
  switch (schema.type) {
    case 'string':
      return fc.constantFrom(...textsOf(schema));
    case 'integer':
    case 'number': {
      const { minimum: min = 0, maximum: max = 1_000 } = schema;
      return fc.constantFrom(min, max, Math.ceil((min + max) / 2), Math.min(max, min + 1));
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const { items = {}, minItems = 0 } = schema;
      const list = { minLength: minItems, maxLength: Math.max(minItems, 2) };
      return fc.array(fromSchema(items, oddIn), list);
    }
    case 'object':
      return objectOf(schema, oddIn);
    default:
      return fc.constantFrom<unknown>(0, 'text', null, [1], { a: { b: true } }, 1e21, -0.1);
  }
}

function objectOf(schema: Schema, oddIn: number): fc.Arbitrary<unknown> {
  const [values] = Object.values(schema.patternProperties ?? {});
  if (values !== undefined) {
    const keys = fc.constantFrom('a', 'disk.type', 'ü😀', 'x'.repeat(100));
    return fc.dictionary(keys, fromSchema(values, oddIn), { maxKeys: 2 });
  }
  const properties = schema.properties ?? {};
  const required = schema.required ?? [];
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  return fc
    .subarray(optional, { maxLength: Math.min(OPTIONAL_MAX, optional.length) })
    .chain((some) =>
      fc.record(
        Object.fromEntries(
          [...required, ...some].map((name) => [
            name,
            fromSchema(properties[name] as Schema, oddIn),
          ]),
        ),
      ),
    );
}

function textsOf({ pattern, format, minLength = 0, maxLength = LONG }: Schema): string[] {
  if (format === 'date-time') {
    return INSTANTS;
  }
  if (format === 'date') return ['2030-02-28', '2030-02-30', '0000-01-01', '9999-12-31'];
  if (pattern === DURATION_PATTERN) return ['0s', '1ms', '1.5h', '1h30m', '1s'];
  const longest = Math.min(maxLength, LONG);
  if (pattern !== undefined) return ['a', 'A.b-c_9', 'n'.repeat(Math.min(longest, 128))];
  const texts = ['a', 'ü😀\n"\\', 'y'.repeat(longest)];
  return minLength === 0 ? ['', ...texts] : texts;
}
