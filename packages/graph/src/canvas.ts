/** Column and row, from the top left. */
export type Point = readonly [x: number, y: number];
type Style = (text: string) => string;

const plain: Style = (text) => text;

const NORTH = 1;
const EAST = 2;
const SOUTH = 4;
const WEST = 8;

/** By the directions in which lines leave a cell. */
const UNICODE = [' ', '│', '─', '└', '│', '│', '┌', '├', '─', '┘', '─', '┴', '┐', '┤', '┬', '┼'];
const ASCII = [' ', '|', '-', '+', '|', '|', '+', '+', '-', '+', '-', '+', '+', '+', '+', '+'];

/** Characters in rows, for lines that join where they are told to and else cross. */
export class Canvas {
  readonly #width: number;
  readonly #bits: Uint8Array;
  readonly #joints: Uint8Array;
  readonly #texts = new Map<number, { char: string; style: Style }>();

  constructor(width: number, height: number) {
    this.#width = width;
    this.#bits = new Uint8Array(width * height);
    this.#joints = new Uint8Array(width * height);
  }

  /** A horizontal or vertical line with both its ends. Its ends join what they meet. */
  line(from: Point, to: Point): void {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const steps = Math.max(Math.abs(dx), Math.abs(dy));
    const [ahead, back] = directionsOf(dx, dy);
    this.join(from);
    this.join(to);
    for (let step = 0; step <= steps; step++) {
      const cell = this.#cell([from[0] + Math.sign(dx) * step, from[1] + Math.sign(dy) * step]);
      const bits = (step < steps ? ahead : 0) | (step > 0 ? back : 0);
      this.#bits[cell] = (this.#bits[cell] ?? 0) | bits;
    }
  }

  /** Lines that meet here belong together. */
  join(at: Point): void {
    this.#joints[this.#cell(at)] = 1;
  }

  text([x, y]: Point, text: string, style: Style = plain): void {
    for (const [i, char] of [...text].entries()) {
      this.#texts.set(this.#cell([x + i, y]), { char, style });
    }
  }

  rows(isAscii: boolean): string[] {
    const glyphs = isAscii ? ASCII : UNICODE;
    const rows: string[] = [];
    for (let from = 0; from < this.#bits.length; from += this.#width) {
      rows.push(this.#row(from, glyphs).trimEnd());
    }
    return rows;
  }

  #row(from: number, glyphs: readonly string[]): string {
    let row = '';
    let word = '';
    let style: Style | null = null;
    for (let cell = from; cell <= from + this.#width; cell++) {
      const text = cell === from + this.#width ? undefined : this.#texts.get(cell);
      // A style is put around a word, not around each of its letters.
      if (style !== null && text?.style !== style) {
        row += style(word);
        word = '';
      }
      style = text?.style ?? null;
      if (text !== undefined) word += text.char;
      else if (cell < from + this.#width) row += glyphs[this.#shown(cell)];
    }
    return row;
  }

  /** Where two lines only cross, the upright one passes over the other. */
  #shown(cell: number): number {
    const bits = this.#bits[cell] ?? 0;
    const isCrossing = this.#joints[cell] === 0 && (bits & 10) !== 0 && (bits & 5) !== 0;
    return isCrossing ? bits & 5 : bits;
  }

  #cell([x, y]: Point): number {
    return y * this.#width + x;
  }
}

function directionsOf(dx: number, dy: number): readonly [ahead: number, back: number] {
  if (dx !== 0) return dx > 0 ? [EAST, WEST] : [WEST, EAST];
  return dy > 0 ? [SOUTH, NORTH] : [NORTH, SOUTH];
}
