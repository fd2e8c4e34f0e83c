import { randomInt } from 'node:crypto';

/**
 * Marks the colours of `paint`. Text from outside cannot contain it, because it differs in each process, so
 * every other escape sequence is known to be foreign.
 */
const MARK = Array.from({ length: 3 }, () => randomInt(1_000, 10_000)).join(';');
const COLOUR = new RegExp(`\\u001b\\[(\\d{1,2});${MARK}m`, 'g');

/**
 * Everything that steers a terminal, or reorders what it shows: C0 and C1 controls except tab and
 * newline, line separators, and the marks and overrides of bidirectional text.
 */
const CONTROLS = new RegExp(
  `\\u001b\\[\\d{1,2};${MARK}m|[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]`,
  'g',
);

export function colour(code: number): string {
  return `\u001b[${code};${MARK}m`;
}

/** Makes control characters visible, and keeps the marks of colours: for text that is measured or cut. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (found) => {
    if (found.length > 1) return found;
    const code = found.charCodeAt(0);
    return code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
  });
}

/** A text as a terminal may show it. All that a command prints for people goes through here. */
export function safeText(text: string): string {
  return escapeControls(text).replace(COLOUR, '\u001b[$1m');
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
