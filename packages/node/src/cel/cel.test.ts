import { describe, expect, it } from 'vitest';
import type { Evaluated, Source } from './program.ts';
import { CelPrograms } from './programs.ts';

const programs = () => new CelPrograms({ event: 'map', name: 'string', any: 'dyn' });

const variables = {
  event: {
    id: 'e1',
    data: {
      count: 5,
      price: 1.5,
      large: 9007199254740991,
      tags: ['a', 'b'],
      none: null,
      deep: { x: { y: 1 } },
    },
  },
  name: 'nightly',
  any: [1, 2],
};

function evaluate(expression: string, result: Source['result'] = 'any'): Evaluated {
  const compiled = programs().compile({ field: 'filter', expression, result });
  if (compiled.kind === 'refused') throw new Error(compiled.refusal.message);
  return compiled.program.evaluate(variables);
}

function refusalOf(expression: string, result: Source['result'] = 'any') {
  const compiled = programs().compile({ field: 'filter', expression, result });
  if (compiled.kind === 'program') throw new Error('it was to be refused');
  return compiled.refusal;
}

describe('what is compiled', () => {
  it.each([
    ['event.data.count >', 18, 'Unexpected token: EOF, at character 19'],
    ['event.data.count > nope', 19, 'Unknown variable: nope, at character 20'],
    ['1 == "a"', 0, 'no such overload: int == string, at character 1'],
    ['name.size', 5, "Cannot index type 'string', at character 6"],
    [
      'name.size(1, 2)',
      0,
      "found no matching overload for 'string.size(int, int)', at character 1",
    ],
  ])('refuses %s with its field and place', (expression, position, message) => {
    const refusal = refusalOf(expression);
    expect(refusal.field).toBe('filter');
    expect(refusal.message).toBe(message);
    expect(refusal.position).toBe(position);
  });

  it('asks a condition to be true or false, when it is saved and when it is evaluated', () => {
    expect(refusalOf('name + "x"', 'bool').message).toMatch(/must be a bool, not string/);
    expect(evaluate('event.data.count', 'bool')).toEqual({
      kind: 'error',
      message: 'the result is neither true nor false',
    });
    expect(evaluate('event.data.count == 5', 'bool')).toEqual({ kind: 'value', value: true });
  });

  it('keeps programs, refusals too, and forgets the least recently used', () => {
    const few = new CelPrograms({ event: 'map' }, 2);
    const source = (expression: string) =>
      ({ field: 'filter', expression, result: 'any' }) as const;
    const first = few.compile(source('1'));
    const refused = few.compile(source('nope'));
    expect(few.compile(source('1'))).toBe(first);
    few.compile(source('2'));
    expect(few.keptCount).toBe(2);
    expect(few.compile(source('1'))).toBe(first);
    expect(few.compile(source('nope'))).not.toBe(refused);
  });
});

describe('what an expression yields', () => {
  it.each([
    ['event.data.count + 1', 6],
    ['1 + event.data.count', 6],
    ['event.data.price * 2', 3],
    ['10 / event.data.count', 2],
    ['event.data.tags.size() + 1', 3],
    ['5u', 5],
    ['event.data.count == 5 && event.data.count == 5u', true],
    ['event.data.count in [1, 5]', true],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['event.data', variables.event.data],
    ['{"a": [1, "b", null, 2.5], "c": event.data.tags}', { a: [1, 'b', null, 2.5], c: ['a', 'b'] }],
    ['event.data.tags.map(t, t + "!")', ['a!', 'b!']],
    ['any[1]', 2],
    ['timestamp("2026-01-02T03:04:05Z")', '2026-01-02T03:04:05.000Z'],
    ['duration("90s")', '90s'],
    ['b"ab"', 'YWI='],
    ['event.?data.?absent.orValue("none")', 'none'],
    ['has(event.data.absent) ? 1 : 2', 2],
    ['event.data.none == null', true],
    ['cel.bind(x, event.data.deep.x, x.y + x.y)', 2],
  ])('%s', (expression, value) => {
    expect(evaluate(expression)).toEqual({ kind: 'value', value });
  });

  it.each([
    [
      '9007199254740993',
      'the integer 9007199254740993 is too large for JSON; convert it with string()',
    ],
    [
      '18446744073709551615u',
      'the integer 18446744073709551615 is too large for JSON; convert it with string()',
    ],
    ['1.0 / 0.0', 'JSON cannot represent Infinity'],
    ['event.data.absent', 'No such key: absent'],
    ['event.data.constructor', 'No such key: constructor'],
    ['event.data.tags.__proto__', 'No such key: __proto__'],
    ['event.data.count % 2', 'no such overload: dyn<double> % int'],
    ['event.?data.?absent', 'the result may be absent; end the expression with .orValue(…)'],
    ['type(1)', 'JSON cannot represent the result'],
    ['1 / 0', 'division by zero'],
    ['event.data.tags[7]', 'No such key: index out of bounds, index 7 >= size 2'],
  ])('%s is an error', (expression, message) => {
    expect(evaluate(expression)).toEqual({ kind: 'error', message });
  });

  it('leaves the prototype of objects alone', () => {
    const compiled = programs().compile({ field: 'f', expression: 'event.data', result: 'any' });
    if (compiled.kind === 'refused') throw new Error(compiled.refusal.message);
    const data = JSON.parse('{"__proto__":{"admin":true}}') as unknown;
    const result = compiled.program.evaluate({ ...variables, event: { data } });
    expect(JSON.stringify(result)).toBe('{"kind":"value","value":{"__proto__":{"admin":true}}}');
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
});
