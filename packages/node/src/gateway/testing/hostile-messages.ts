import type { Random } from '@signalbox/engine';
import { encodeFrames, type FromWorker, type Ref } from '@signalbox/protocol';
import { helloOf } from './test-worker.ts';

/** Values that tend to break whoever takes them for what they should be. */
const ODD: readonly unknown[] = [
  null,
  -1,
  0.5,
  1e308,
  2 ** 53,
  Number.MAX_SAFE_INTEGER,
  '',
  '\u0000',
  '\ud800',
  'x'.repeat(70_000),
  [],
  {},
  [[[[[]]]]],
  true,
  { length: 1e9 },
  'constructor',
];

/** Messages that no worker would send: the same list for the same dice. */
export class HostileMessages {
  readonly #random: Random;
  /** References of somebody else's attempts, to be spoken of as one's own. */
  stolen: readonly Ref[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  next(): Uint8Array | string {
    const dice = this.#below(10);
    if (dice === 0) return this.#noise(this.#below(200));
    if (dice === 1) return 'x'.repeat(this.#below(50));
    const message = dice < 6 ? this.#oddMessage() : encodeFrames([this.#frame()]);
    return dice < 8 ? this.#damaged(message) : message;
  }

  /** Well-formed, but about what was never given to whoever says it. */
  #frame(): FromWorker {
    const ref = this.#ref();
    const text = this.#noise(this.#below(50));
    const none = { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 0 };
    const frames: readonly FromWorker[] = [
      { kind: 'accept', refs: [ref] },
      { kind: 'refuse', ref, foreignUse: this.#below(2) === 0 ? null : none },
      { kind: 'finish', ref, result: { kind: 'succeeded' }, output: text },
      { kind: 'finish', ref, result: { kind: 'failed', error: 'evil' }, output: null },
      { kind: 'finish', ref, result: { kind: 'stopped' }, output: null },
      { kind: 'checkpoint', ref, state: text },
      { kind: 'extend', ref, byMs: this.#below(1_000_000) },
      { kind: 'log', ref, stream: 'log', number: this.#below(100), text },
      { kind: 'beat', foreignUse: none, progress: [{ ref, value: this.#random.next() }] },
      { kind: 'drain' },
      { kind: 'bye' },
      { ...helloOf('evil-restated'), holds: [ref] },
      { ...helloOf('good', { instance: 'evil' }), holds: [ref] },
    ];
    return frames[this.#below(frames.length)] as FromWorker;
  }

  /** A frame in which one field, somewhere, is what it should not be. */
  #oddMessage(): Uint8Array {
    const frame = JSON.parse(JSON.stringify(this.#frame())) as Record<string, unknown>;
    const fields = Object.keys(frame);
    frame[fields[this.#below(fields.length)] as string] = ODD[this.#below(ODD.length)];
    const header = new TextEncoder().encode(JSON.stringify([frame]));
    const message = new Uint8Array(4 + header.length);
    new DataView(message.buffer).setUint32(0, header.length);
    message.set(header, 4);
    return message;
  }

  #damaged(message: Uint8Array): Uint8Array {
    const copy = new Uint8Array(message);
    for (let i = this.#below(4); i >= 0; i--) copy[this.#below(copy.length)] = this.#below(256);
    return this.#below(3) === 0 ? copy.slice(0, this.#below(copy.length)) : copy;
  }

  #ref(): Ref {
    const known = this.stolen[this.#below(this.stolen.length)];
    if (known !== undefined && this.#below(2) === 0) return known;
    const any = () => this.#below(4);
    return [any(), any(), any(), any(), any(), any()];
  }

  #noise(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.#below(256));
  }

  #below(n: number): number {
    return Math.floor(this.#random.next() * n);
  }
}
