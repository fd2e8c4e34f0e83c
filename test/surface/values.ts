import { PAYLOAD_INLINE_MAX } from '@signalbox/protocol';
import fc from 'fast-check';

/** What JSON can say and a reader, a codec or a database may choke on. */
const EDGES: readonly unknown[] = [
  null,
  '',
  'a\0b',
  '\ud800',
  '\udfff\ud800 backwards',
  '\u2028\u2029\ufeff',
  '😀'.repeat(40),
  5e-324,
  1.7976931348623157e308,
  Number.MAX_SAFE_INTEGER,
  2 ** 53,
  0.1 + 0.2,
  { '': { '': [] } },
  { 'a\0b': 1, '\ud800': 2 },
  JSON.parse('{"__proto__": {"polluted": true}}'),
  { constructor: 1, toString: 2, valueOf: 3 },
  { $ref: 'x', $signalbox: 'y', ref: { name: 'z' } },
  Array.from({ length: 5_000 }, (_, i) => i),
  Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`k${i}`, i])),
];

function nested(depth: number): unknown {
  let value: unknown = 'inside';
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { in: value };
  return value;
}

/** Around the size from which payloads are blobs; two characters of JSON are its quotes. */
const SIZES = [-1, 0, 1].map((more) => 'x'.repeat(PAYLOAD_INLINE_MAX - 2 + more));

/** Any JSON value. */
export const jsonValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...EDGES) },
  { weight: 2, arbitrary: fc.constantFrom(1, 60, 62, 63, 64, 65, 200, 2_000).map(nested) },
  { weight: 1, arbitrary: fc.constantFrom(...SIZES) },
  { weight: 4, arbitrary: fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }) },
);

const MAGIC = new TextEncoder();

/** Any bytes: among them such as look like JSON, like nothing, and like a reference to a blob. */
export const bytesValue: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.constantFrom(
    new Uint8Array(),
    new Uint8Array([0]),
    new Uint8Array([0xff, 0xfe, 0, 0xd8]),
    MAGIC.encode('{"json": true}'),
    MAGIC.encode('\u0001blob:{"name":"x","bytes":1,"sha256":""}'),
    new Uint8Array(PAYLOAD_INLINE_MAX + 1).fill(7),
  ),
  fc.uint8Array({ maxLength: 300 }),
);

const NAMES = ['k', 'ü😀\n"\\', '\ud800', 'a\0b', '\u0001x', 'k'.repeat(256), 'k'.repeat(257), ''];

/** Fields of a submission beside its input, at and beyond their edges. */
export const fields: fc.Arbitrary<Record<string, unknown>> = fc.record(
  {
    idempotencyKey: fc.constantFrom(...NAMES),
    uniqueKey: fc.constantFrom(...NAMES),
    priority: fc.constantFrom<unknown>('P0', 'P1', 'P2', 'P3', '', 0, 1, 10, 11, 1.5),
    runAt: fc.constantFrom(
      '1970-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999Z',
      '2030-02-30T00:00:00Z',
      '2030-02-28',
    ),
    delay: fc.constantFrom<unknown>(
      '10m',
      '1h30m',
      '20y',
      '',
      0,
      1,
      -1,
      0.5,
      3_600_000,
      31_536_000_000,
      31_536_000_001,
      1e300,
    ),
  },
  { requiredKeys: [] },
);
