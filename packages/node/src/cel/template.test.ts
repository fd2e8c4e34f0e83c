import { describe, expect, it } from 'vitest';
import { CelPrograms } from './programs.ts';
import { compileTemplate } from './template.ts';
import type { Json } from './to-json.ts';

function fill(
  template: Json,
  variables: Record<string, unknown> = { event: { id: 'e1', data: { n: 2 } } },
) {
  const compiled = compileTemplate(new CelPrograms({ event: 'map' }), { field: 'input', template });
  if (compiled.kind === 'refused') return compiled.refusal;
  return compiled.template.evaluate(variables);
}

describe('a template', () => {
  it('has expressions where values would be, and keeps the rest as it is', () => {
    const template = {
      orderId: '${event.id}',
      twice: '${event.data.n * 2}',
      all: ['${event.data}', 'text', 1, null, true],
      map: '${ {"a": {"b": event.id}} }',
      literal: '$${event.id}',
    };
    expect(fill(template)).toEqual({
      kind: 'value',
      value: {
        orderId: 'e1',
        twice: 4,
        all: [{ n: 2 }, 'text', 1, null, true],
        map: { a: { b: 'e1' } },
        literal: '${event.id}',
      },
    });
    expect(fill('${event.data}')).toEqual({ kind: 'value', value: { n: 2 } });
  });

  it('names the field that is wrong', () => {
    expect(fill({ a: [{ b: '${nope}' }] })).toEqual({
      field: 'input.a[0].b',
      position: 0,
      message: 'Unknown variable: nope, at character 1',
    });
    expect(fill({ a: 'order ${event.id}' })).toMatchObject({
      field: 'input.a',
      message: expect.stringMatching(/join texts with \+/),
    });
    expect(fill({ a: '${event.data.m}' })).toEqual({
      kind: 'error',
      message: 'input.a: No such key: m',
    });
  });

  it('is bounded in depth and number', () => {
    const deep = Array.from({ length: 20 }).reduce<Json>((inside) => [inside], 1);
    expect(fill(deep)).toMatchObject({
      message: 'the template has more than 16 levels of nesting',
    });
    const many = Array.from({ length: 65 }, () => '${event.id}');
    expect(fill(many)).toMatchObject({ message: 'the template has more than 64 expressions' });
  });

  it('keeps a key __proto__ a key', () => {
    const template = JSON.parse('{"__proto__":{"admin":"${event.id}"}}') as Json;
    expect(JSON.stringify(fill(template))).toBe(
      '{"kind":"value","value":{"__proto__":{"admin":"e1"}}}',
    );
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
});
