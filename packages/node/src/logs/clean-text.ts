/** Longer than any line that a person reads; what comes behind it is cut. */
export const LINE_CHARACTERS_MAX = 65_536;

const CUT = '… (cut)';

/** Text that every store takes: no NUL, no lone surrogate, not without end. */
export function cleanText(text: string): string {
  const whole = text.includes('\u0000') ? text.replaceAll('\u0000', '\uFFFD') : text;
  const short =
    whole.length <= LINE_CHARACTERS_MAX ? whole : `${whole.slice(0, LINE_CHARACTERS_MAX)}${CUT}`;
  // Last, because the cut may go through a pair.
  return short.isWellFormed() ? short : short.toWellFormed();
}
