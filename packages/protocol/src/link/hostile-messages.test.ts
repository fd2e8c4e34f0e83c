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
    ['bytes that belong to no frame', message([{ kind: 'drain' }], new Uint8Array(1))],
    ['a payload that is not there', message([{ kind: 'checkpoint', ref: R, state: 1 }])],
    [
      'a payload of null where bytes must be',
      message([{ kind: 'checkpoint', ref: R, state: null }]),
    ],
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
    ['lists in a column', message([finishes({ durationMs: [[], 1] })])],
    ['an object for a column', message([finishes({ durationMs: {} })])],
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
    [
      'a lone surrogate',
      message(
        '[{"kind":"finish","ref":[0,0,0,0,0,0],"result":{"kind":"failed","error":"\\ud800"},"output":null}]',
      ),
    ],
    ['a label that is no text', message([{ ...HELLO, labels: { a: 1 } }])],
    ['labels as a list', message([{ ...HELLO, labels: [] }])],
    ['a million executors', message([{ ...HELLO, executors: new Array(20_000).fill('x') }])],
    ['too many holds', message([{ ...HELLO, holds: new Array(10_001).fill(R) }])],
    [
      'an unknown result',
      message([{ kind: 'finish', ref: R, result: { kind: 'toString' }, output: null }]),
    ],
    ['a result of null', message([{ kind: 'finish', ref: R, result: null, output: null }])],
    [
      'an unknown class',
      message([
        { kind: 'finish', ref: R, result: { kind: 'failed', error: '', class: 'x' }, output: null },
      ]),
    ],
    [
      'a log stream of its own',
      message([{ kind: 'log', ref: R, stream: 'x', number: 0, text: 0 }]),
    ],
  ];
  it.each(hostile)('refuses %s', (_name, wire) => {
    expect(() => decodeFromWorker(wire)).toThrow(FrameError);
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
