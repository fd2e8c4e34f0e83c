import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import TypeBox from 'typebox';
import { describe, expect, it } from 'vitest';
import { Type } from './type.ts';

/** The same schema by either builder. */
function sample(T: typeof Type) {
  const Word = T.Union([T.Literal('a'), T.Literal('b')], { description: 'a word' });
  const Part = T.Object(
    {
      name: T.String({ minLength: 1 }),
      size: T.Optional(T.Integer({ minimum: 0 })),
      share: T.Number(),
      word: T.Optional(Word),
    },
    { additionalProperties: false },
  );
  return T.Object({
    parts: T.Array(Part, { maxItems: 3 }),
    labels: T.Record(T.String({ maxLength: 8 }), T.String()),
    any: T.Optional(T.Unknown({ description: 'anything' })),
    none: T.Null(),
    is: T.Boolean(),
    less: T.Omit(Part, ['share']),
    maybe: T.Partial(Part, { additionalProperties: false }),
    unsafe: T.Unsafe<string>(T.String()),
    nothing: T.Object({}),
  });
}

describe('the builder of schemas', () => {
  it('makes what TypeBox makes, byte for byte', () => {
    expect(JSON.stringify(sample(Type))).toBe(JSON.stringify(sample(TypeBox)));
  });

  it('is the only one that is loaded: of TypeBox come types, and its compiler when it is needed', () => {
    const packages = fileURLToPath(new URL('../../', import.meta.url));
    const files = readdirSync(packages, { recursive: true, encoding: 'utf8' }).filter(
      (path) => /^\w+\/src\/.*\.ts$/.test(path) && !/\.test\.ts$|\/testing\//.test(path),
    );
    expect(files.length).toBeGreaterThan(500);
    const loading = files.filter((path) =>
      /^import (?!type )[^;]*from 'typebox/m.test(readFileSync(`${packages}${path}`, 'utf8')),
    );
    expect(loading).toEqual([]);
  });
});
