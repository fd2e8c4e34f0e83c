const LENGTH_MIN = 32;
const DISTINCT_MIN = 8;
const ENTROPY_BITS_MIN = 84;
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

/** Anywhere in the key. Six letters or more: a random key may hold a shorter one by chance. */
const HELD_WORDS = ['secret', 'password', 'changeme', 'default', 'signalbox', 'example'];
/** A random text of letters has about as many large ones as small ones. */
const RARER_CASE_MIN = 0.2;

/** Throws one clear line when the key that rules everything could be guessed. */
export function assertStrongKey(text: string): void {
  const why = weakness(text);
  if (why === null) return;
  throw new Error(`the root key (SIGNALBOX_KEY) ${why}; create a key with: openssl rand -hex 32`);
}

function weakness(text: string): string | null {
  if (text.trim() === '') return 'is not set';
  if (!/^[\x21-\x7e]+$/.test(text)) return 'contains spaces or non-ASCII characters';
  const bare = text.toLowerCase().replaceAll(/[^a-z]/g, '');
  const known = KNOWN_WORDS.some((word) => bare !== '' && isMadeOf(bare, word.replace(/[-_]/, '')));
  if (known) return 'is a well-known word';
  if (text.length < LENGTH_MIN) return `is shorter than ${LENGTH_MIN} characters`;
  if (HELD_WORDS.some((word) => bare.includes(word))) return 'contains a well-known word';
  if (isRepetition(text)) return 'repeats itself too much to be random';
  if (isSequence(text)) return 'is a sequence of neighbouring characters';
  if (isOneKind(text)) return 'consists of one kind of character';
  if (new Set(text).size < DISTINCT_MIN || entropyBits(text) < ENTROPY_BITS_MIN) {
    return 'repeats itself too much to be random';
  }
  return null;
}

/** The word alone, or repeated. */
function isMadeOf(bare: string, word: string): boolean {
  return bare.replaceAll(word, '') === '';
}

/** A part again and again; the last time it may be cut short. */
function isRepetition(text: string): boolean {
  for (let period = 1; period <= text.length / 2; period++) {
    if (text.startsWith(text.slice(period))) return true;
  }
  return false;
}

/** For more than half of it, up or down the alphabet or the digits. */
function isSequence(text: string): boolean {
  const steps = [...text].slice(1).map((c, i) => c.charCodeAt(0) - text.charCodeAt(i));
  const goesOn = (step: number, next = Number.NaN) => Math.abs(next) <= 1 && step * next >= 0;
  const inRun = steps.filter(
    (step, i) => Math.abs(step) <= 1 && (goesOn(step, steps[i - 1]) || goesOn(step, steps[i + 1])),
  );
  return inRun.length > steps.length / 2;
}

/** Digits alone, or letters alone that are nearly all small or all large: rather words than chance. */
function isOneKind(text: string): boolean {
  if (/^\d+$/.test(text)) return true;
  if (!/^[a-z]+$/i.test(text)) return false;
  const large = text.replaceAll(/[a-z]/g, '').length;
  return Math.min(large, text.length - large) < text.length * RARER_CASE_MIN;
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
