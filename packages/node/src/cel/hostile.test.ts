import { describe, expect, it } from 'vitest';
import { CelPrograms } from './programs.ts';

const many = Array.from({ length: 50_000 }, (_, index) => index);
const text = 'a'.repeat(250_000);
const nearly = `b${'a'.repeat(120_000)}`;
const variables = {
  event: {
    ...{ same: text, nearly: `aaaaaaaaa${nearly}` },
    many,
    some: many.slice(0, 200),
    text,
    deep: { a: { b: many } },
    short: 'x',
  },
};

/** Far above what any of them takes (30 ms), and far below what an unbounded one takes. */
const MS_MAX = 1_000;

function chain(count: number, step: (index: number) => string, first: string): string {
  const binds = Array.from({ length: count }, (_, index) => {
    const value = index === 0 ? first : step(index);
    return `cel.bind(v${index + 1}, ${value}, `;
  });
  return `${binds.join('')}v${count}${')'.repeat(count)}`;
}

const costly: [string, string][] = [
  ['loops in loops', 'event.some.all(a, event.some.all(b, event.some.all(c, true)))'],
  ['two loops over a long list', 'event.many.all(a, event.many.all(b, true))'],
  ['a list that doubles', `[event.many]${'.map(a, a + a)'.repeat(20)}.size() > 0`],
  ['a text that doubles', `[event.text]${'.map(a, a + a)'.repeat(20)}[0].size() > 0`],
  ['a doubling without loops', chain(14, (index) => `v${index} + v${index}`, 'event.many')],
  [
    'a value that holds itself often',
    chain(14, (index) => `[v${index}, v${index}, v${index}]`, '[event.short]'),
  ],
  ['an error for every item', 'event.many.exists(x, x.a.b)'],
  [
    'errors that are swallowed one after the other',
    'event.some.all(x, x.a) || event.many.all(x, x.a) || true',
  ],
  ['comparing all for every item', 'event.some.all(x, event.deep == event.deep)'],
  ['searching a list for every item', 'event.some.all(x, -1 in event.many)'],
  ['searching a text for every item', 'event.some.all(x, !event.text.contains("ab"))'],
  ...['contains', 'indexOf', 'lastIndexOf', 'split'].map((name): [string, string] => [
    `a search that nearly matches everywhere: ${name}`,
    `dyn(event.same.${name}(event.nearly)) == 1`,
  ]),
  ['cutting a text for every item', 'event.text.split("").map(x, event.text.split("")).size() > 0'],
  ['a copy of a text for every item', 'event.some.map(x, event.text.upperAscii()).size() > 0'],
  ['joining long texts', 'event.some.map(x, event.text).join(",").size() > 0'],
  [
    'reading a clock in a zone for every item',
    'event.some.all(x, timestamp("2026-01-01T00:00:00Z").getHours("Europe/Berlin") == 1)',
  ],
];

describe('an expression that would take long', () => {
  it.each(costly)('ends as an error: %s', (_what, expression) => {
    const compiled = new CelPrograms({ event: 'map' }).compile({
      field: 'filter',
      expression,
      result: 'any',
    });
    if (compiled.kind === 'refused') throw new Error(compiled.refusal.message);
    const began = performance.now();
    expect(compiled.program.evaluate(variables)).toEqual({
      kind: 'error',
      message: 'the expression exceeds its work limit',
    });
    expect(performance.now() - began).toBeLessThan(MS_MAX);
    // The next evaluation begins with a full meter.
    expect(compiled.program.evaluate({ event: {} })).not.toMatchObject({
      message: 'the expression exceeds its work limit',
    });
  });

  it.each([
    ['too long', `"${'x'.repeat(4_096)}" == ""`, /exceeds 4096 characters/],
    ['many nots', `${'!'.repeat(4_000)}true`, /maxAstNodes/],
    ['many signs', `${'-'.repeat(4_000)}1`, /maxAstNodes/],
    ['deep in parentheses', `${'('.repeat(2_000)}1${')'.repeat(2_000)}`, /maxDepth/],
    ['a long sum', `1${'+1'.repeat(2_000)}`, /maxAstNodes/],
    ['a long path', `event${'.a'.repeat(2_000)}`, /maxDepth/],
    ['a pattern', 'event.short.matches("(a+)+$")', /matches\(\) is not supported/],
    ['a pattern in a loop', 'event.some.all(x, event.short.matches("(a+)+$"))', /not supported/],
    ['a pattern behind a name', 'cel.bind(p, "(a+)+$", event.short.matches(p))', /not supported/],
    ['a call into the runtime', 'event.constructor("return 1")', /no matching overload/],
    ['nothing', '', /Unexpected token/],
    ['a NUL', 'event.short == "\u0000" nope', /./],
  ])('is refused before it is saved: %s', (_what, expression, message) => {
    const began = performance.now();
    const compiled = new CelPrograms({ event: 'map' }).compile({
      field: 'filter',
      expression,
      result: 'any',
    });
    expect(compiled.kind === 'refused' && compiled.refusal.message).toMatch(message);
    expect(performance.now() - began).toBeLessThan(MS_MAX);
  });

  it('leaves room for a filter over ten thousand items', () => {
    const compiled = new CelPrograms({ event: 'map' }).compile({
      field: 'filter',
      expression: 'event.items.filter(x, x > 5).size() == 9994',
      result: 'bool',
    });
    if (compiled.kind === 'refused') throw new Error(compiled.refusal.message);
    expect(compiled.program.evaluate({ event: { items: many.slice(0, 10_000) } })).toEqual({
      kind: 'value',
      value: true,
    });
  });
});
