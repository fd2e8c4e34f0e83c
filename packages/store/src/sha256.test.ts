import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from './sha256.ts';

const native = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('sha256Hex', () => {
  it('gives the published hashes', () => {
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256Hex('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('agrees with the platform at every length around the borders of a block', () => {
    for (let length = 0; length <= 200; length++) {
      const text = 'x'.repeat(length);
      expect(sha256Hex(text), `length ${length}`).toBe(native(text));
    }
  });

  it('agrees with the platform on text of several bytes per letter, and on much of it', () => {
    for (const text of ['ä😀\ufffd', '\u0001', 'déjà vu '.repeat(5_000)]) {
      expect(sha256Hex(text)).toBe(native(text));
    }
  });
});
