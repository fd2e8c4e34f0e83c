const LENGTH_MIN = 32;
const DISTINCT_MIN = 10;
const ENTROPY_BITS_MIN = 96;
const KNOWN_WORDS = [
  'changeme',
  'change-me',
  'change_me',
  'secret',
  'password',
  'passw0rd',
  'signalbox',
  'default',
  'example',
  'letmein',
  'admin',
  'root',
  'token',
  'test',
];

/** Throws one clear line when the key that rules everything could be guessed. */
export function assertStrongKey(text: string): void {
  const why = weakness(text);
  if (why === null) return;
  throw new Error(`the root key (SIGNALBOX_KEY) ${why}; make one with: openssl rand -hex 32`);
}

function weakness(text: string): string | null {
  if (text.trim() === '') return 'is not set';
  if (!/^[\x21-\x7e]+$/.test(text)) return 'holds spaces or characters outside ASCII';
  const bare = text.toLowerCase().replaceAll(/[^a-z]/g, '');
  const known = KNOWN_WORDS.some((word) => bare !== '' && isMadeOf(bare, word.replace(/[-_]/, '')));
  if (known) return 'is a well-known word';
  if (text.length < LENGTH_MIN) return `is shorter than ${LENGTH_MIN} characters`;
  if (new Set(text).size < DISTINCT_MIN || entropyBits(text) < ENTROPY_BITS_MIN) {
    return 'repeats itself too much to be random';
  }
  return null;
}

/** The word alone, or repeated. */
function isMadeOf(bare: string, word: string): boolean {
  return bare.replaceAll(word, '') === '';
}

/**
 * Shannon's measure over single characters and over pairs, whichever is lower: a repeated pattern
 * has many characters and few pairs.
 */
function entropyBits(text: string): number {
  const singles = [...text];
  const pairs = singles.slice(1).map((c, i) => `${singles[i]}${c}`);
  return Math.min(bits(singles), bits(pairs));
}

function bits(symbols: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const symbol of symbols) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  let sum = 0;
  for (const count of counts.values()) sum -= count * Math.log2(count / symbols.length);
  return sum;
}
