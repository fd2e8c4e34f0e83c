import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tools/testing/property.ts';
import { type Direction, drawText } from './draw-text.ts';
import { type Drawn, graphFrom, PLAIN } from './testing/graph-from.ts';
import { reached } from './testing/trace.ts';

const task = (name: string, after: string[] = [], more: Partial<Drawn> = {}): Drawn => ({
  name,
  after,
  ...more,
});

function drawn(tasks: Drawn[], direction: Direction, isAscii = false): string {
  return `\n${drawText(graphFrom(tasks), { direction, isAscii, style: PLAIN }).join('\n')}\n`;
}

const DIAMOND = [
  task('extract'),
  task('left', ['extract']),
  task('right', ['extract'], { kind: 'approval', notes: ['approval'] }),
  task('load', ['left', 'right', 'extract']),
];

describe('drawText', () => {
  it('draws layers from left to right, and says what is not plain work', () => {
    expect(drawn(DIAMOND, 'right')).toBe(`
               ┌───────────┐
            ┌─▶│ left      ├─┐
            │  └───────────┘ │
            │                │
┌─────────┐ │  ┌───────────┐ │  ┌───────┐
│ extract ├─┼─▶│ right     ├─┼─▶│ load  │
└─────────┘ │  │ approval  │ │  └───────┘
            │  └───────────┘ │
            └────────────────┘
`);
  });

  it('draws layers from top to bottom, and in plain characters where no others are known', () => {
    expect(drawn([task('a'), task('b'), task('c', ['a', 'b'])], 'down', true)).toBe(`
+---+  +---+
| a |  | b |
+-+-+  +-+-+
  +---+--+
      v
    +---+
    | c |
    +---+
`);
  });

  it('lets lines that do not belong together cross without touching', () => {
    const tasks = ['a', 'b', 'c'].map((name) => task(name));
    const ends = [task('x', ['a', 'b']), task('y', ['b', 'c']), task('z', ['a', 'c'])];
    expect(drawn([...tasks, ...ends], 'right')).toBe(`
┌───┐
│ a ├───┐    ┌───┐
└───┘ ┌─┼───▶│ x │
┌───┐ │ │    └───┘
│ b ├─┤ │    ┌───┐
└───┘ │ └─┬─▶│ z │
┌───┐ │   │  └───┘
│ c ├─│───┤  ┌───┐
└───┘ └───┴─▶│ y │
             └───┘
`);
  });

  it('shows no control character and cuts what is long', () => {
    const note = `if "\u001b[2J" == input.${'x'.repeat(100)}`;
    const text = drawn([task('a', [], { notes: [note] })], 'right');
    expect(text).not.toContain('\u001b');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(40);
    expect(text).toContain('…');
  });

  it.each(['right', 'down'] as const)('shows every task and every edge of any graph (%s)', (to) => {
    const graphs = fc.integer({ min: 1, max: 14 }).chain((size) =>
      fc.array(fc.array(fc.boolean(), { minLength: size, maxLength: size }), {
        minLength: size,
        maxLength: size,
      }),
    );
    assertProperty(
      fc.property(graphs, (edges) => {
        const name = (i: number): string => String.fromCharCode(97 + i);
        const tasks = edges.map((row, i) =>
          task(
            name(i),
            row.slice(0, i).flatMap((isEdge, parent) => (isEdge ? [name(parent)] : [])),
          ),
        );
        const found = reached(drawn(tasks, to).split('\n'), to);
        for (const { name: child = '', after = [] } of tasks) {
          expect(found.has(child)).toBe(true);
          for (const parent of after) expect([...(found.get(parent) ?? [])]).toContain(child);
        }
      }),
      { numRuns: 150 },
    );
  });
});
