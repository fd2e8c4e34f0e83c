import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PermanentError } from '../../errors.ts';
import { decodePayload, encodePayload } from './json-payload.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

describe('payloads of handlers', () => {
  it('a JSON value comes back as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const bytes = encodePayload(value, 'output');
        const text = JSON.stringify(value);
        expect(bytes).toEqual(utf8(text));
        expect(decodePayload(bytes)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['no JSON', utf8('{"a":')],
    ['nothing', new Uint8Array()],
    ['JSON in bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['a surrogate in UTF-8', new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ])('%s is handed over as bytes, in a copy', (_name, bytes) => {
    const handed = decodePayload(bytes);
    expect(handed).toEqual(bytes);
    expect(handed).not.toBe(bytes);
  });

  it('reads a part of a larger buffer, a byte order mark, and the character that stands for a wrong one', () => {
    expect(decodePayload(utf8('x{"a":1}y').subarray(1, 8))).toEqual({ a: 1 });
    expect(decodePayload(utf8('\ufeff[1]'))).toEqual([1]);
    expect(decodePayload(utf8('"\ufffd"'))).toBe('\ufffd');
  });

  it('keeps bytes as they are, in a copy', () => {
    const bytes = new Uint8Array([1, 2]);
    const encoded = encodePayload(bytes, 'output');
    bytes.fill(0);
    expect(encoded).toEqual(new Uint8Array([1, 2]));
  });

  it.each([
    ['a Buffer', (bytes: Uint8Array) => Buffer.from(bytes.buffer)],
    ['an ArrayBuffer', (bytes: Uint8Array) => bytes.buffer],
    ['a DataView', (bytes: Uint8Array) => new DataView(bytes.buffer, 1, 2)],
    ['clamped bytes', (bytes: Uint8Array) => new Uint8ClampedArray(bytes.buffer, 1, 2)],
  ])('%s is bytes too', (_name, from) => {
    const bytes = new Uint8Array([1, 2, 3]);
    const given = from(bytes);
    const expected = given.byteLength === 2 ? [2, 3] : [1, 2, 3];
    const encoded = encodePayload(given, 'output');
    bytes.fill(0);
    expect([...encoded]).toEqual(expected);
  });

  it('slices of what was encoded are copies', () => {
    const encoded = encodePayload('ab', 'output');
    encoded.slice().fill(0);
    expect(encoded).toEqual(utf8('"ab"'));
  });

  it.each([
    ['a function', () => 1, 'the output cannot be written as JSON'],
    ['a BigInt', 1n, 'output is a BigInt, which JSON cannot represent'],
    ['a BigInt inside', { n: [1n] }, 'output.n[0] is a BigInt, which JSON cannot represent'],
    ['a function inside', { on: () => 1 }, 'output.on is a function, which JSON cannot represent'],
  ])('%s fails for good', (_name, value, message) => {
    expect(() => encodePayload(value, 'output')).toThrow(new PermanentError(message));
  });

  it.each([
    [Number.NaN, 'output is NaN'],
    [{ price: Number.POSITIVE_INFINITY }, 'output.price is Infinity'],
    [[null, { n: [1, Number.NEGATIVE_INFINITY] }], 'output[1].n[1] is -Infinity'],
  ])('%j fails for good, with the path', (value, message) => {
    const error = new PermanentError(`${message}, which JSON cannot represent`);
    expect(() => encodePayload(value, 'output')).toThrow(error);
  });

  it.each([[null], [{ a: null, b: 'null' }], [[undefined, 1e308]]])('%j is JSON', (value) => {
    expect(encodePayload(value, 'output')).toEqual(utf8(JSON.stringify(value)));
  });
});
