/**
 * SHA-256 without platform APIs: the memory store has no such dependency, and every store has to compute the
 * same hash. Slower than a native one, which does not matter for one entry per change by a person.
 */
export function sha256Hex(text: string): string {
  const state = fractionsOfRoots(8, Math.sqrt);
  const bytes = padded(new TextEncoder().encode(text));
  const blocks = new DataView(bytes.buffer);
  const words = new Uint32Array(64);
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    for (let i = 0; i < 16; i++) words[i] = blocks.getUint32(at + i * 4);
    mix(state, words);
  }
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
}

const BLOCK_BYTES = 64;
/** The bit that ends the message, and eight bytes for its length. */
const TAIL_BYTES = 9;

/** The message, a one bit, zeros, and the length in bits at the end of the last block. */
function padded(message: Uint8Array): Uint8Array {
  const length = Math.ceil((message.length + TAIL_BYTES) / BLOCK_BYTES) * BLOCK_BYTES;
  const bytes = new Uint8Array(length);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setUint32(length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(length - 4, message.length << 3);
  return bytes;
}

/** The constants of the standard: the first 32 bits of the fractional parts of roots of primes. */
function fractionsOfRoots(count: number, root: (prime: number) => number): Uint32Array {
  const fractions = new Uint32Array(count);
  let found = 0;
  for (let candidate = 2; found < count; candidate++) {
    if (!isPrime(candidate)) continue;
    fractions[found++] = Math.floor((root(candidate) % 1) * 2 ** 32);
  }
  return fractions;
}

function isPrime(candidate: number): boolean {
  for (let divisor = 2; divisor * divisor <= candidate; divisor++) {
    if (candidate % divisor === 0) return false;
  }
  return true;
}

const ROUNDS = fractionsOfRoots(64, Math.cbrt);

/** One block: its 16 words are spread over 64, and 64 rounds stir them into the state. */
function mix(state: Uint32Array, words: Uint32Array): void {
  const word = (i: number): number => words[i] as number;
  for (let i = 16; i < 64; i++) {
    const early = word(i - 15);
    const late = word(i - 2);
    const a = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const b = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[i] = word(i - 16) + a + word(i - 7) + b;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as Eight;
  for (let i = 0; i < 64; i++) {
    const turnedE = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const one = (h + turnedE + chosen + (ROUNDS[i] as number) + word(i)) | 0;
    const turnedA = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + turnedA + majority) | 0];
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) {
    state[i] = (state[i] as number) + value;
  }
}

type Eight = [number, number, number, number, number, number, number, number];

function turned(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits));
}
