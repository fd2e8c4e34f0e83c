/** What can be reached from each box of a drawing along its lines, as an eye would follow them. */
export function reached(
  rows: readonly string[],
  direction: 'right' | 'down',
): Map<string, Set<string>> {
  const at = (x: number, y: number): string => [...(rows[y] ?? '')][x] ?? ' ';
  const found = new Map<string, Set<string>>();
  for (const [y, row] of rows.entries()) {
    for (const [x, char] of [...row].entries()) {
      if (!/[a-z]/.test(char)) continue;
      // A box of one letter: `│ a │` between `┌───┐` and `└───┘`.
      const start: Step =
        direction === 'right' ? { x: x + 2, y, way: 'E' } : { x, y: y + 1, way: 'S' };
      found.set(char, endsOf(at, start, direction));
    }
  }
  return found;
}

type Way = 'N' | 'E' | 'S' | 'W';
interface Step {
  readonly x: number;
  readonly y: number;
  readonly way: Way;
}

const MOVES: Readonly<Record<Way, readonly [number, number]>> = {
  N: [0, -1],
  E: [1, 0],
  S: [0, 1],
  W: [-1, 0],
};
const BACK: Readonly<Record<Way, Way>> = { N: 'S', E: 'W', S: 'N', W: 'E' };
const GLYPHS: Readonly<Record<string, string>> = {
  '│': 'NS',
  '─': 'EW',
  '└': 'NE',
  '┌': 'ES',
  '├': 'NES',
  '┘': 'NW',
  '┴': 'NEW',
  '┐': 'SW',
  '┤': 'NSW',
  '┬': 'ESW',
  '┼': 'NESW',
};

function endsOf(
  at: (x: number, y: number) => string,
  start: Step,
  direction: 'right' | 'down',
): Set<string> {
  const ends = new Set<string>();
  const seen = new Set<string>();
  const backwards = direction === 'right' ? 'W' : 'N';
  const open = [start];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const { x, y, way } = step;
    const key = `${x} ${y} ${way}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const char = at(x, y);
    if (char === '▶') ends.add(at(x + 3, y));
    else if (char === '▼') ends.add(at(x, y + 2));
    const glyph = GLYPHS[char] ?? '';
    const isCrossing = glyph !== '' && !glyph.includes(BACK[way]) && step !== start;
    // The first cell is the rim of the box: from there only outwards.
    const ways = step === start ? [way] : isCrossing ? [way] : (glyph.split('') as Way[]);
    for (const next of ways) {
      if (next === BACK[way] || next === backwards || !(isCrossing || glyph.includes(next)))
        continue;
      const [dx, dy] = MOVES[next];
      open.push({ x: x + dx, y: y + dy, way: next });
    }
  }
  return ends;
}
