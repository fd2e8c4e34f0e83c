import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors/api-error.ts';
import { parseJson } from './parse-json.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function refusal(input: string | Uint8Array): { code: string; field: string | undefined } {
  try {
    parseJson(typeof input === 'string' ? bytes(input) : input);
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, field: error.field };
    throw error;
  }
  return { code: 'taken', field: undefined };
}

describe('JSON of a request', () => {
  it.each([
    ['h17 __proto__', '{"__proto__":{"admin":true}}', 'invalid', '__proto__'],
    ['h17 constructor', '{"a":[{"constructor":{"prototype":{}}}]}', 'invalid', 'a[0].constructor'],
    ['h17 escaped', '{"\\u005f\\u005fproto__":1}', 'invalid', '__proto__'],
    ['h17 prototype', '{"prototype":1}', 'invalid', 'prototype'],
    ['h25 lone surrogate', '{"a":"\\ud800"}', 'bad_request', 'a'],
    ['h25 lone surrogate in a key', '{"a":{"\\udc00":1}}', 'bad_request', 'a'],
    ['NUL', '{"a":"x\\u0000"}', 'invalid', 'a'],
    ['h29 past 2^53', '{"a":{"n":9007199254740993}}', 'invalid', 'a.n'],
    ['h29 below -2^53', '[1,-9007199254740993]', 'invalid', '[1]'],
    ['h29 past the largest double', '{"n":1e400}', 'invalid', 'n'],
    ['h29 -0', '{"n":-0}', 'invalid', 'n'],
    ['h29 past 2^53 with a point', '{"n":9007199254740993.0}', 'invalid', 'n'],
    ['h29 past 2^53 beside 1e20', '{"n":[1e20,9007199254740993]}', 'invalid', 'n[1]'],
    ['a key twice', '{"a":1,"a":2}', 'invalid', 'a'],
    ['a key twice, once escaped', '{"x":[{"a":1,"\\u0061":2}]}', 'invalid', 'x[0].a'],
    [
      'a key twice in an object that a later one hides',
      '{"a":{"b":1,"b":2},"c":3}',
      'invalid',
      'a.b',
    ],
    ['h29 400 digits', `{"n":${'9'.repeat(400)}}`, 'invalid', 'n'],
    ['not JSON', '{"a":', 'bad_request', undefined],
    ['two values', '{} {}', 'bad_request', undefined],
    ['a comment', '{/* */}', 'bad_request', undefined],
    ['nothing but space', '  ', 'bad_request', undefined],
    ['NaN', '{"a":NaN}', 'bad_request', undefined],
    ['65 levels', '['.repeat(65) + ']'.repeat(65), 'bad_request', undefined],
  ])('refuses %s', (...[, text, code, field]) => {
    expect(refusal(text)).toEqual({ code, field });
  });

  it('takes the same key in two objects, and numbers with an exponent as doubles', () => {
    const text = '{"a":{"b":1},"b":[{"b":"\\"b\\":2"},{"b":":"}],"big":1e20,"bigger":1.5e300}';
    expect(parseJson(bytes(text))).toEqual(JSON.parse(text));
  });

  it('h25 refuses bytes that are not UTF-8', () => {
    expect(refusal(Uint8Array.from([0x22, 0xff, 0xfe, 0x22])).code).toBe('bad_request');
    expect(refusal(Uint8Array.from([0x22, 0xed, 0xa0, 0x80, 0x22])).code).toBe('bad_request');
  });

  it('h19 refuses a million levels within 100 ms', () => {
    const deep = bytes('['.repeat(1_000_000));
    const startedAt = performance.now();
    expect(refusal(deep).code).toBe('bad_request');
    expect(performance.now() - startedAt).toBeLessThan(100);
  });

  it('refuses more than a thousand keys in one object, and takes them in two', () => {
    const keys = (n: number) => Array.from({ length: n }, (_, i) => `"k${i}":${i}`).join();
    expect(refusal(`{${keys(1_001)}}`).code).toBe('invalid');
    expect(refusal(`[{${keys(1_000)}},{${keys(1_000)}}]`).code).toBe('taken');
    expect(refusal(`{"a":{"b":{${keys(1_001)}}}}`).code).toBe('invalid');
  });

  it.each([
    '{"brackets":"[[[[{{{{:::"}',
    `"${'['.repeat(200)}"`,
    '{"quote":"\\"[["}',
    '6.02e23',
    '-0.0',
    '[1e5,-1.5,9007199254740991,0.1234567890123456789]',
    '{"a":null,"b":[true,false]}',
    `${'['.repeat(64)}${']'.repeat(64)}`,
  ])('takes %s', (text) => {
    expect(refusal(text).code).toBe('taken');
  });

  it('h17 leaves the prototype of every object alone', () => {
    refusal('{"__proto__":{"admin":true}}');
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  it('agrees with JSON.parse wherever it does not refuse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const { code } = refusal(text);
        if (code === 'taken') expect(parseJson(bytes(text))).toEqual(JSON.parse(text));
        else expect(['invalid', 'bad_request']).toContain(code);
      }),
      { numRuns: 500 },
    );
  });

  it('never throws anything but an answer, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (input) => {
        refusal(input);
      }),
      { numRuns: 1_000 },
    );
  });
});
