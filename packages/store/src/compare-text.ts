/**
 * Order of code points, which is the order of UTF-8 bytes: SQLite's BINARY and PostgreSQL's "C".
 * JavaScript's own `<` compares UTF-16 units and puts an emoji before U+FFFD, so a page of one
 * store would skip a name that another store shows.
 */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Moves surrogates above the rest of the plane, where the code points they stand for belong. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
