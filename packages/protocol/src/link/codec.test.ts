import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFromNode, decodeFromWorker, encodeFrames } from './codec.ts';
import { EXIT_CODE_MAX, EXIT_CODE_MIN } from './exit-code.ts';
import { FrameError } from './frame-error.ts';
import type { FromNode, FromWorker } from './frames.ts';

const whole = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const amount = fc.integer({ min: 0, max: 1_000_000_000 });
const clean = (maxLength: number) =>
  fc.string({ unit: 'grapheme', maxLength }).filter((s) => s.isWellFormed() && !s.includes('\0'));
const name = clean(40).filter((s) => s !== '');
const text = clean(100);
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0));
const exitCode = fc.integer({ min: EXIT_CODE_MIN, max: EXIT_CODE_MAX });
const bytes = fc.uint8Array({ maxLength: 300 });
const ref = fc.tuple(whole, whole, whole, whole, whole, whole);
const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
const resources = fc.record({
  cpuMilli: amount,
  memoryMb: amount,
  gpu: amount,
  diskMb: amount,
  slots: amount,
});
const texts = fc.dictionary(
  name.filter((key) => key !== '__proto__'),
  text,
  { maxKeys: 4, noNullPrototype: true },
);
const of = <K extends string, T extends object>(
  kind: K,
  fields: { [P in keyof T]: fc.Arbitrary<T[P]> },
) => fc.record({ kind: fc.constant(kind), ...fields });
const maybe = { requiredKeys: ['kind'] as const };

const result = fc.oneof(
  fc.constant({ kind: 'stopped' }),
  fc.record(
    { kind: fc.constant('succeeded'), exitCode, durationMs: whole },
    { ...maybe, requiredKeys: ['kind'] },
  ),
  fc.record(
    {
      kind: fc.constant('failed'),
      error: text,
      class: fc.constantFrom('transient', 'permanent', 'resource'),
      exitCode,
      retryAfterMs: amount,
    },
    { requiredKeys: ['kind', 'error'] },
  ),
);

const fromWorker = fc.oneof(
  of('hello', {
    protocol: amount,
    worker: name,
    instance: name,
    zone: name,
    labels: texts,
    executors: fc.array(name, { maxLength: 5 }),
    total: resources,
    foreignUse: resources,
    holds: fc.array(ref, { maxLength: 5 }),
  }),
  of('beat', {
    foreignUse: resources,
    progress: fc.array(fc.record({ ref, value: finite }), { maxLength: 5 }),
  }),
  of('accept', { refs: fc.array(ref, { maxLength: 5 }) }),
  of('refuse', { ref, foreignUse: orNull(resources) }),
  of('finish', { ref, result, output: orNull(bytes) }),
  of('checkpoint', { ref, state: bytes }),
  of('extend', { ref, byMs: amount }),
  of('log', {
    ref,
    stream: fc.constantFrom('stdout', 'stderr', 'log'),
    number: whole,
    text: bytes,
  }),
  of('drain', {}),
  of('bye', {}),
) as fc.Arbitrary<FromWorker>;

const about = fc.record({
  tenant: name,
  job: name,
  jobVersion: whole,
  task: name,
  executor: name,
  work: orNull(fc.constant({ command: { argv: ['true'] } })),
  request: resources,
  class: fc.constantFrom('P0', 'P1', 'P2'),
  graceMs: amount,
});

const fromNode = fc.oneof(
  of('welcome', { protocol: amount, node: name, heartbeatMs: amount }),
  of('assign', {
    ref,
    about,
    run: name,
    timeoutMs: orNull(whole),
    input: orNull(bytes),
    checkpoint: orNull(bytes),
  }),
  of('assign', {
    ref,
    about,
    run: name,
    timeoutMs: orNull(whole),
    input: orNull(bytes),
    checkpoint: fc.constant(null),
    window: fc.record({
      schedule: name,
      at: fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
      kind: fc.constantFrom('scheduled', 'catchUp', 'backfill'),
    }),
  }),
  of('abort', { ref, graceMs: amount, why: text }),
  of('confirm', { refs: fc.array(ref, { maxLength: 5 }) }),
  of('stale', { ref }),
  of('extended', { ref, granted: fc.boolean(), timeoutMs: orNull(whole) }),
  of('probe', {}),
  of('probe', { adopted: fc.array(ref, { maxLength: 5 }) }),
  of('restate', {}),
  of('drain', {}),
  of('drained', {}),
) as fc.Arbitrary<FromNode>;

/** Few values, so that many are alike and stand in a row. */
const few = fc.constantFrom(0, 1, 2 ** 40);
const nearRef = fc.tuple(few, few, few, few, few, few);
const plainFinish = fc.record({
  kind: fc.constant('finish' as const),
  ref: nearRef,
  result: fc.record({ kind: fc.constant('succeeded' as const), durationMs: few }),
  output: orNull(bytes),
}) as fc.Arbitrary<FromWorker>;
const [someAbout] = fc.sample(about, { numRuns: 1, seed: 1 });
const plainAssign = fc.record({
  kind: fc.constant('assign' as const),
  ref: nearRef,
  about: fc.constant(someAbout),
  run: fc.constantFrom('a', 'b'),
  timeoutMs: orNull(few),
  input: orNull(bytes),
  checkpoint: fc.constant(null),
}) as fc.Arbitrary<FromNode>;

describe('round trips', () => {
  it('what a worker says arrives as it was said, in order, in columns or not', () => {
    const some = fc.oneof(fromWorker, plainFinish);
    fc.assert(
      fc.property(fc.array(some, { maxLength: 8 }), fc.boolean(), (frames, packs) => {
        expect(decodeFromWorker(encodeFrames(frames, { packs }))).toEqual(frames);
      }),
      { numRuns: 600 },
    );
  });

  it('what a node says arrives as it was said, in order, in columns or not', () => {
    const some = fc.oneof(fromNode, plainAssign);
    fc.assert(
      fc.property(fc.array(some, { maxLength: 8 }), fc.boolean(), (frames, packs) => {
        expect(decodeFromNode(encodeFrames(frames, { packs }))).toEqual(frames);
      }),
      { numRuns: 600 },
    );
  });

  it('what is more than a reader takes in columns is said without them', () => {
    const refs = Array.from({ length: 9_999 }, (_, i) => [0, i, 0, 1, 1, i] as const);
    const assigns = fc.sample(plainAssign, { numRuns: 3, seed: 1 });
    const frames: FromNode[] = [{ kind: 'confirm', refs }, ...assigns, { kind: 'confirm', refs }];
    expect(decodeFromNode(encodeFrames(frames, { packs: true }))).toEqual(frames);
  });

  it('a window is not lost in columns, and one that cannot be read fails its attempt alone', () => {
    const [plain] = fc.sample(plainAssign, { numRuns: 1, seed: 1 }) as [FromNode];
    const window = { schedule: 'nightly', at: 1_000, kind: 'catchUp' };
    const frames = [plain, plain, { ...plain, window }, { ...plain, window }] as FromNode[];
    expect(decodeFromNode(encodeFrames(frames, { packs: true }))).toEqual(frames);
    for (const wrong of [{ at: '1' }, { kind: 'late' }, { schedule: '' }]) {
      const bad = { ...plain, window: { ...window, ...wrong } } as FromNode;
      const [field] = Object.keys(wrong);
      expect(decodeFromNode(encodeFrames([bad]))).toMatchObject([
        { kind: 'unreadable', field: `assign.window.${field}` },
      ]);
    }
  });

  it('usual frames in a row are said in columns, and only to who reads them', () => {
    const ref = (seq: number) => [3, seq, 0, 1, 7, seq + 9] as const;
    const result = { kind: 'succeeded', durationMs: 0 } as const;
    const frames = Array.from(
      { length: 100 },
      (_, i): FromWorker => ({
        kind: 'finish',
        ref: ref(i),
        result,
        output: null,
      }),
    );
    const kinds = (packs: boolean) => {
      const text = Buffer.from(encodeFrames(frames, { packs }).subarray(4)).toString();
      return (JSON.parse(text) as { kind: string }[]).map(({ kind }) => kind);
    };
    expect(kinds(true)).toEqual(['finishes']);
    expect(kinds(false)).toEqual(Array(100).fill('finish'));
  });

  it('says once what many assignments are about, and once more in the next message', () => {
    const [frame] = fc.sample(
      fromNode.filter(({ kind }) => kind === 'assign'),
      { numRuns: 1, seed: 1 },
    );
    const frames = [1, 2, 3].map(() => ({ ...frame }) as FromNode);
    for (const sent of [frames, frames.slice(1)]) {
      const wire = encodeFrames(sent);
      const read = decodeFromNode(wire) as (FromNode & { kind: 'assign' })[];
      expect(read).toEqual(sent);
      expect(new Set(read.map(({ about }) => about)).size).toBe(1);
      expect(Buffer.from(wire).toString('latin1').split('"kind":"about"')).toHaveLength(2);
    }
  });

  it('an assignment about something that was not said before it is unreadable', () => {
    const frame = { kind: 'assign', ref: [0, 0, 0, 0, 0, 0], run: 'r', timeoutMs: null };
    for (const about of [0, 1, -1, 'length', '__proto__', null, undefined, {}, []]) {
      const head = [{ ...frame, about, input: null, checkpoint: null }];
      const header = new TextEncoder().encode(JSON.stringify(head));
      const wire = new Uint8Array(4 + header.length);
      new DataView(wire.buffer).setUint32(0, header.length);
      wire.set(header, 4);
      expect(decodeFromNode(wire)).toEqual([
        { kind: 'unreadable', ref: frame.ref, field: 'assign.about' },
      ]);
    }
  });

  it('payloads are copies: they do not keep the message alive, nor change with it', () => {
    const wire = encodeFrames([
      { kind: 'checkpoint', ref: [0, 0, 0, 0, 0, 0], state: new Uint8Array([1]) },
    ]);
    // A socket gives a Buffer, whose `slice` is a view.
    for (const message of [Buffer.from(wire), wire]) {
      const [frame] = decodeFromWorker(message) as unknown as [{ state: Uint8Array }];
      message.fill(9);
      expect(frame.state).toEqual(new Uint8Array([1]));
      expect(frame.state.buffer.byteLength).toBe(1);
    }
  });

  it('reads a message that lies somewhere inside a larger buffer', () => {
    const wire = encodeFrames([{ kind: 'drain' }]);
    const buffer = new Uint8Array(wire.length + 20).fill(255);
    buffer.set(wire, 7);
    expect(decodeFromWorker(buffer.subarray(7, 7 + wire.length))).toEqual([{ kind: 'drain' }]);
  });

  it('leaves fields alone that it does not know: a newer peer may say more', () => {
    const later = { kind: 'probe', later: 1 } as FromNode;
    expect(decodeFromNode(encodeFrames([later]))).toEqual([later]);
  });

  it('a message with one byte changed is refused or read, never crashes', () => {
    fc.assert(
      fc.property(
        fc.array(fromWorker, { minLength: 1, maxLength: 3 }),
        fc.nat(),
        fc.nat(255),
        (frames, at, byte) => {
          const wire = encodeFrames(frames);
          wire[at % wire.length] = byte;
          try {
            decodeFromWorker(wire);
          } catch (error) {
            expect(error).toBeInstanceOf(FrameError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
