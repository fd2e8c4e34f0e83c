import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import {
  compareRunIds,
  firstIdOf,
  formatRunId,
  inboxId,
  isInboxAlias,
  PARTITIONS_MAX,
  parseIdBytes,
  parseRunId,
  type RunId,
  readRunId,
  runIdBytes,
  writeRunId,
} from './run-id.ts';

const msMax = 2 ** 48 - 1;
/** Small, around 2^32 where the number is split in two words, and up to the largest. */
const seqs = fc.oneof(
  fc.nat(),
  fc.integer({ min: 2 ** 32 - 3, max: 2 ** 32 + 3 }),
  fc.maxSafeNat(),
  fc.constant(Number.MAX_SAFE_INTEGER),
);
const ids: fc.Arbitrary<RunId> = fc.record({
  ms: fc.oneof(fc.integer({ min: 0, max: msMax }), fc.integer({ min: 65_530, max: 65_540 })),
  partition: fc.integer({ min: 0, max: PARTITIONS_MAX - 1 }),
  seq: seqs,
});
/** Any code unit, also one half of a surrogate pair. */
const anyUnit = fc.nat(0xffff).map((code) => String.fromCharCode(code));
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return (a[i] as number) - (b[i] as number);
  return 0;
}

describe('run ids', () => {
  it('read back as they were written, as bytes and as text', () => {
    assertProperty(
      fc.property(ids, (id) => {
        expect(readRunId(runIdBytes(id))).toEqual(id);
        expect(parseRunId(formatRunId(id))).toEqual(id);
        expect(parseIdBytes(formatRunId(id))).toEqual(runIdBytes(id));
      }),
      { numRuns: 500 },
    );
  });

  it('are UUIDs of version 7 and of the standard variant', () => {
    assertProperty(
      fc.property(ids, (id) => {
        expect(formatRunId(id)).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
      }),
    );
  });

  it('sort the same as numbers, as bytes and as text', () => {
    // Neighbours differ in one field only, so that every field decides now and then.
    const pairs = fc.tuple(ids, ids, fc.constantFrom('ms', 'partition', 'seq', 'all')).map((p) => {
      const [a, b, field] = p;
      return [a, field === 'all' ? b : { ...a, [field]: b[field] }] as const;
    });
    assertProperty(
      fc.property(pairs, ([a, b]) => {
        const sign = Math.sign(compareRunIds(a, b));
        expect(Math.sign(compareBytes(runIdBytes(a), runIdBytes(b)))).toBe(sign);
        const [textA, textB] = [formatRunId(a), formatRunId(b)];
        expect(textA < textB ? -1 : textA > textB ? 1 : 0).toBe(sign);
      }),
      { numRuns: 500 },
    );
  });

  it('never sort before the first id of their millisecond, nor after that of the next', () => {
    assertProperty(
      fc.property(ids, (id) => {
        expect(compareRunIds(firstIdOf(id.ms), id)).toBeLessThanOrEqual(0);
        expect(compareRunIds(id, firstIdOf(id.ms + 1))).toBeLessThan(0);
        if (id.ms === msMax) return;
        expect(compareBytes(runIdBytes(id), runIdBytes(firstIdOf(id.ms + 1)))).toBeLessThan(0);
      }),
    );
  });

  it('write sixteen bytes at the offset and touch no other', () => {
    assertProperty(
      fc.property(ids, fc.integer({ min: 0, max: 9 }), (id, offset) => {
        const out = new Uint8Array(32).fill(0xaa);
        writeRunId(out, offset, id.ms, id.partition, id.seq);
        expect(out.subarray(offset, offset + 16)).toEqual(runIdBytes(id));
        expect([...out.subarray(0, offset), ...out.subarray(offset + 16)]).toEqual(
          Array(16).fill(0xaa),
        );
        expect(readRunId(out, offset)).toEqual(id);
      }),
    );
  });

  it('are not read from text that is anything else, whatever the text is', () => {
    const hex = fc.constantFrom(...'0123456789abcdefABCDEF-g \n\0');
    const texts = fc.oneof(
      fc.string({ unit: anyUnit, maxLength: 60, size: 'max' }),
      fc.array(hex, { minLength: 30, maxLength: 40, size: 'max' }).map((chars) => chars.join('')),
      // One character of a good one replaced, dropped or added.
      fc.tuple(ids, fc.nat(35), fc.string({ unit: anyUnit, maxLength: 2 })).map(([id, at, by]) => {
        const text = formatRunId(id);
        return text.slice(0, at) + by + text.slice(at + 1);
      }),
      fc.uuid(),
    );
    assertProperty(
      fc.property(texts, (text) => {
        const id = parseRunId(text);
        if (id !== null) expect(formatRunId(id)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
    const good = formatRunId({ ms: 1, partition: 2, seq: 3 });
    for (const bad of [`${good}\n`, ` ${good}`, `${good}0`, good.slice(1), '', 'null', '\u0660']) {
      expect(parseRunId(bad)).toBeNull();
    }
  });

  it('whose number would be rounded are refused instead of naming another run', () => {
    const bytes = runIdBytes({ ms: 5, partition: 1, seq: Number.MAX_SAFE_INTEGER });
    bytes[8] = 0x9f;
    const hex = [...bytes].map((b) => b.toString(16).padStart(2, '0')).join('');
    const text = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    expect(text[14]).toBe('7');
    expect(parseRunId(text)).toBeNull();
  });

  it('of the inbox are never taken for runs, and keep their time and partition', () => {
    assertProperty(
      fc.property(ids, uint32, uint32, ({ ms, partition }, randomHigh, randomLow) => {
        const alias = inboxId({ ms, partition, randomHigh, randomLow });
        expect(parseRunId(alias)).toBeNull();
        expect(isInboxAlias(parseIdBytes(alias))).toBe(true);
        expect(readRunId(parseIdBytes(alias))).toMatchObject({ ms, partition });
      }),
    );
    assertProperty(
      fc.property(ids, (id) => {
        expect(isInboxAlias(runIdBytes(id))).toBe(false);
      }),
    );
  });
});
