import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { assertStrongKey } from './strong-key.ts';

/** Looks random, and is the same in every run. */
function bytes(i: number, length: number): Buffer {
  return createHash('sha512').update(String(i)).digest().subarray(0, length);
}

describe('a key that could be guessed', () => {
  it.each([
    ['0123456789abcdef0123456789abcdef', 'repeats itself'],
    ['x9Kq2-Lm7_Wd4Rt8Zx9Kq2-Lm7_Wd4Rt8Zx9K', 'repeats itself'],
    ['abcdefghijklmnopqrstuvwxyz0123456789', 'is a sequence'],
    ['0123456789abcdeffedcba9876543210', 'is a sequence'],
    ['zyxwvutsrqponmlkjihgfedcba9x2Kq7Lm4', 'is a sequence'],
    ['aabbccddeeffgghhiijjkkllmmnnoopp42', 'is a sequence'],
    ['thisismyverylongkeyformynodeathome', 'consists of one kind'],
    ['CorrectHorseBatteryStapleTogetherNow', 'consists of one kind'],
    ['83610597241850396274019583627104958', 'consists of one kind'],
    ['thisisthesecretkeyformysignalboxnode', 'contains a well-known word'],
    ['x9Kq2-Lm7_Wd4-ChangeMe-Rt8Z-v3Hn6Jp', 'contains a well-known word'],
    ['x9Kq2-Lm7_Wd4-PASSWORD-Rt8Z-v3Hn6Jp', 'contains a well-known word'],
  ])('h77 is refused: %s', (key, why) => {
    expect(() => assertStrongKey(key)).toThrow(`the root key (SIGNALBOX_KEY) ${why}`);
  });
});

describe('a random key', () => {
  it.each([
    ['32 hex digits', (i: number) => bytes(i, 16).toString('hex')],
    ['64 hex digits', (i: number) => bytes(i, 32).toString('hex')],
    ['24 bytes in base64url', (i: number) => bytes(i, 24).toString('base64url')],
    ['48 bytes in base64url', (i: number) => bytes(i, 48).toString('base64url')],
  ])('h77 is taken, 1,000 times: %s', (_, make) => {
    for (let i = 0; i < 1_000; i++) {
      expect(() => assertStrongKey(make(i)), make(i)).not.toThrow();
    }
  });

  it('h77 is taken when it happens to be of letters alone', () => {
    expect(() => assertStrongKey('qZrTbWxKpLmVcNhJgFdSyRtQwZxBvMkP')).not.toThrow();
  });
});
