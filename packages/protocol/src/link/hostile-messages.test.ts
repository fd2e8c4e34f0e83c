import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFromNode, decodeFromWorker } from './codec.ts';
import { FrameError } from './frame-error.ts';

/** A message by hand: any header, any bytes behind it. */
function message(header: unknown, payload = new Uint8Array(), length?: number): Uint8Array {
  const head = new TextEncoder().encode(
    typeof header === 'string' ? header : JSON.stringify(header),
  );
  const whole = new Uint8Array(4 + head.length + payload.length);
  new DataView(whole.buffer).setUint32(0, length ?? head.length);
  whole.set(head, 4);
  whole.set(payload, 4 + head.length);
  return whole;
}

const R = [0, 1, 2, 3, 4, 5];
const NONE = { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 0 };
const HELLO = {
  kind: 'hello',
  protocol: 1,
  worker: 'w',
  instance: 'i',
  zone: 'z',
  labels: {},
  executors: [],
  total: NONE,
  foreignUse: NONE,
  holds: [],
};

/** Results in columns, with something about them changed. */
const finishes = (more: object, refs: object = {}) => ({
  kind: 'finishes',
  refs: { count: 2, columns: [0, [1, 2], 0, 1, 1, 1], ...refs },
  durationMs: 0,
  output: null,
  ...more,
});

describe('hostile messages', () => {
  const hostile: [string, Uint8Array][] = [
    ['nothing', new Uint8Array()],
    ['three bytes', new Uint8Array(3)],
    ['a header longer than the message', message([], new Uint8Array(), 4_294_967_295)],
    ['a header that is cut', message([{ kind: 'drain' }], new Uint8Array(), 5)],
    ['no JSON', message('{')],
    ['a number', message('1')],
    ['null', message('null')],
    ['an object', message({ kind: 'drain' })],
    ['a list of null', message([null])],
    ['a list of lists', message([[]])],
    ['a frame without a kind', message([{}])],
    ['a kind that is no text', message([{ kind: ['drain'] }])],
    ['an unknown kind', message([{ kind: 'shutdown' }])],
    ['the name of a property of every object', message([{ kind: 'constructor' }])],
    ['__proto__ as a kind', message([{ kind: '__proto__' }])],
    ['a frame of the other direction', message([{ kind: 'probe' }])],
    [
      'the message has bytes after its last payload',
      message([{ kind: 'drain' }], new Uint8Array(1)),
    ],
    ['a payload that is not there', message([{ kind: 'checkpoint', ref: R, state: 1 }])],
    ['a payload of negative length', message([{ kind: 'checkpoint', ref: R, state: -1 }])],
    [
      'a payload of half a byte',
      message([{ kind: 'checkpoint', ref: R, state: 0.5 }], new Uint8Array(1)),
    ],
    ['a payload of 2^53 bytes', message([{ kind: 'checkpoint', ref: R, state: 2 ** 53 }])],
    ['a length as text', message([{ kind: 'checkpoint', ref: R, state: '1' }], new Uint8Array(1))],
    ['a ref of five', message([{ kind: 'accept', ref: [1, 2, 3, 4, 5] }])],
    ['a ref with a fraction', message([{ kind: 'accept', ref: [0.5, 2, 3, 4, 5, 6] }])],
    [
      'a ref beyond the safe integers',
      message([{ kind: 'accept', ref: [2 ** 53, 2, 3, 4, 5, 6] }]),
    ],
    ['a ref with 1e400', message('[{"kind":"accept","ref":[1e400,1,1,1,1,1]}]')],
    ['no ref', message([{ kind: 'accept' }])],
    ['columns of no frame', message([{ kind: 'beat', foreignUse: NONE, refs: { count: 1 } }])],
    ['results without references', message([{ kind: 'finishes' }])],
    ['references as a list among columns', message([finishes({ refs: [R, R] })])],
    ['rows without end', message([finishes({}, { count: 1e15 })])],
    ['fewer than no rows', message([finishes({}, { count: -1 })])],
    ['half a row', message([finishes({}, { count: 1.5 })])],
    ['five columns', message([finishes({}, { columns: [0, [1, 2], 0, 1, 1] })])],
    ['a column that is too short', message([finishes({}, { columns: [0, [1], 0, 1, 1, 1] })])],
    ['a column that is too long', message([finishes({ output: [null, null, null] })])],
    ['a column of texts', message([finishes({}, { columns: [0, ['1', 2], 0, 1, 1, 1] })])],
    ['payloads of columns that are not there', message([finishes({ output: [1, null] })])],
    [
      'many short heads that stand for very many rows',
      message(Array(3).fill(finishes({}, { count: 4_000, columns: [0, 1, 0, 1, 1, 1] }))),
    ],
    ['a capacity of 1e10', message([{ ...HELLO, total: { ...NONE, slots: 1e10 } }])],
    ['a negative capacity', message([{ ...HELLO, total: { ...NONE, slots: -1 } }])],
    ['a capacity of NaN', message([{ ...HELLO, total: { ...NONE, slots: null } }])],
    ['an empty name', message([{ ...HELLO, worker: '' }])],
    ['a name of 4 KB', message([{ ...HELLO, worker: 'x'.repeat(4_096) }])],
    ['NUL in a name', message([{ ...HELLO, worker: 'a\u0000b' }])],
    ['a label that is no text', message([{ ...HELLO, labels: { a: 1 } }])],
    ['labels as a list', message([{ ...HELLO, labels: [] }])],
    ['a million executors', message([{ ...HELLO, executors: new Array(20_000).fill('x') }])],
    ['too many holds', message([{ ...HELLO, holds: new Array(10_001).fill(R) }])],
  ];
  it.each(hostile)('refuses %s', (_name, wire) => {
    expect(() => decodeFromWorker(wire)).toThrow(FrameError);
  });

  const failed = (more: object) => ({
    kind: 'finish',
    ref: R,
    result: { kind: 'failed', error: 'e', ...more },
    output: null,
  });
  /** One attempt's frame: the attempt fails with the field, and nobody else notices. */
  const unreadable: [string, object, string][] = [
    ['no state', { kind: 'checkpoint', ref: R, state: null }, 'checkpoint.state'],
    ['a lone surrogate', failed({ error: '\ud800' }), 'finish.result.error'],
    ['NUL in an error', failed({ error: '\0' }), 'finish.result.error'],
    ['an unknown class', failed({ class: 'x' }), 'finish.result.class'],
    ['a Retry-After of years', failed({ retryAfterMs: 1e12 }), 'finish.result.retryAfterMs'],
    ['half a millisecond', failed({ retryAfterMs: 0.5 }), 'finish.result.retryAfterMs'],
    ['an infinite duration', failed({ durationMs: null }), 'finish.result.durationMs'],
    ['half a millisecond of duration', failed({ durationMs: 0.5 }), 'finish.result.durationMs'],
    ['a negative duration', failed({ durationMs: -1 }), 'finish.result.durationMs'],
    ['a duration beyond 2^53', failed({ durationMs: 2 ** 53 }), 'finish.result.durationMs'],
    ['half an exit code', failed({ exitCode: 1.5 }), 'finish.result.exitCode'],
    ['an exit code of 33 bits', failed({ exitCode: 2 ** 32 }), 'finish.result.exitCode'],
    [
      'an exit code of a success that is a fraction',
      { kind: 'finish', ref: R, result: { kind: 'succeeded', exitCode: 0.5 }, output: null },
      'finish.result.exitCode',
    ],
    ['an unknown result', { ...failed({}), result: { kind: 'toString' } }, 'finish.result'],
    ['a result of null', { ...failed({}), result: null }, 'finish.result'],
    ['an unknown stream', { kind: 'log', ref: R, stream: 'x', number: 0, text: 0 }, 'log.stream'],
    ['less time', { kind: 'extend', ref: R, byMs: -1 }, 'extend.byMs'],
    ['infinitely more time', { kind: 'extend', ref: R, byMs: null }, 'extend.byMs'],
    ['more time by two years', { kind: 'extend', ref: R, byMs: 63_072_000_000 }, 'extend.byMs'],
    [
      'a refusal of half a slot',
      { kind: 'refuse', ref: R, foreignUse: { ...NONE, slots: 0.5 } },
      'refuse.foreignUse.slots',
    ],
  ];
  it.each(unreadable)(
    'reads %s as unreadable, and what stands behind it',
    (_name, frame, field) => {
      expect(decodeFromWorker(message([frame, { kind: 'drain' }]))).toEqual([
        { kind: 'unreadable', ref: R, field },
        { kind: 'drain' },
      ]);
    },
  );

  it('reads results in columns one by one: an unreadable one leaves the others as they are', () => {
    for (const odd of [[], {}, 'x', null]) {
      const [first, second] = decodeFromWorker(message([finishes({ durationMs: [odd, 1] })]));
      expect(first).toMatchObject({ kind: 'unreadable', field: 'finish.result.durationMs' });
      expect(second).toMatchObject({ kind: 'finish', result: { durationMs: 1 } });
    }
  });

  it('reads the progress of a beat attempt by attempt', () => {
    const other = [0, 2, 0, 1, 1, 1];
    const progress = [
      { ref: R, value: null },
      { ref: other, value: 0.5 },
    ];
    expect(decodeFromWorker(message([{ kind: 'beat', foreignUse: NONE, progress }]))).toEqual([
      { kind: 'beat', foreignUse: NONE, progress: [{ ref: other, value: 0.5 }] },
      { kind: 'unreadable', ref: R, field: 'beat.progress.value' },
    ]);
    for (const entry of [null, 1, {}, { ref: [1], value: 1 }]) {
      const beat = { kind: 'beat', foreignUse: NONE, progress: [entry] };
      expect(() => decodeFromWorker(message([beat]))).toThrow(FrameError);
    }
  });

  it('reads an assignment about something unreadable as unreadable, and the next one as it is', () => {
    const about = {
      kind: 'about',
      tenant: 't',
      job: 'j',
      jobVersion: 1,
      task: 'main',
      executor: 'handler:j',
      work: null,
      request: NONE,
      class: 'P1',
      graceMs: 1e12,
    };
    const assign = {
      kind: 'assign',
      ref: R,
      run: 'r',
      timeoutMs: null,
      input: null,
      checkpoint: null,
    };
    const frames = [
      about,
      { ...about, graceMs: 31_536_000_000 },
      { ...assign, about: 0 },
      { ...assign, about: 1 },
    ];
    expect(decodeFromNode(message(frames))).toMatchObject([
      { kind: 'unreadable', ref: R, field: 'about.graceMs' },
      { kind: 'assign', about: { graceMs: 31_536_000_000 } },
    ]);
    const nowhere = { ...assign, ref: [1], about: 0 };
    expect(() => decodeFromNode(message([about, nowhere]))).toThrow(FrameError);
  });

  it('refuses UTF-8 that is none', () => {
    const wire = message('[{"kind":"x"}]');
    wire[14] = 0xff;
    expect(() => decodeFromWorker(wire)).toThrow(FrameError);
  });

  it('does not touch the prototype of anything', () => {
    const wire = message('[{"kind":"drain","__proto__":{"admin":true}}]');
    decodeFromWorker(wire);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('a header nested a hundred thousand deep ends quickly', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const from = performance.now();
    expect(() => decodeFromWorker(message(deep))).toThrow(FrameError);
    expect(performance.now() - from).toBeLessThan(1_000);
  });

  it('any bytes are frames or a FrameError, never anything else', () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .tuple(fc.json(), fc.uint8Array({ maxLength: 20 }))
        .map(([json, tail]) => message(json, tail)),
    );
    fc.assert(
      fc.property(noise, (wire) => {
        for (const decode of [decodeFromWorker, decodeFromNode]) {
          try {
            expect(Array.isArray(decode(wire))).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(FrameError);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
