import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineCapture } from './capture-lines.ts';
import { OutputCapture } from './capture-output.ts';
import { LogBudget } from './log-budget.ts';

function setup(params: { bytesMax?: number; bytesPerSecond?: number } = {}) {
  const clock = { ms: 0 };
  const notes: string[] = [];
  const pieces: string[] = [];
  const budget = new LogBudget({
    bytesMax: params.bytesMax ?? 1e9,
    bytesPerSecond: params.bytesPerSecond ?? 1e9,
    now: () => clock.ms,
    note: (text) => notes.push(text),
  });
  const lines = new LineCapture({
    budget,
    log: (bytes) => pieces.push(new TextDecoder('utf-8', { fatal: true }).decode(bytes)),
  });
  return { clock, notes, pieces, budget, lines };
}

describe('lines', () => {
  it('loses, tears and repeats nothing, however the pipe cuts it', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'ü', '😀', ' '), maxLength: 30 });
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 50 });
    fc.assert(
      fc.property(fc.array(line), cuts, (all, sizes) => {
        const { lines, pieces } = setup();
        let rest: Buffer = Buffer.from(all.map((each) => `${each}\n`).join(''));
        for (const size of sizes) {
          lines.push(rest.subarray(0, size));
          rest = rest.subarray(size);
        }
        lines.push(rest);
        lines.end();
        expect(pieces.flatMap((piece) => piece.split('\n'))).toEqual(all);
      }),
    );
  });

  it('breaks a line that is too long, between characters', () => {
    const { lines, pieces } = setup();
    const long = `a${'😀'.repeat(20_000)}`;
    lines.push(Buffer.from(long));
    lines.end();
    expect(pieces.length).toBeGreaterThan(4);
    expect(pieces.join('')).toBe(long);
  });
});

describe('the budget of the log', () => {
  it('leaves out what comes too fast, and says so when it is slow again', () => {
    const { budget, clock, notes } = setup({ bytesPerSecond: 100 });
    expect([budget.take(400), budget.take(1), budget.take(20)]).toEqual([true, false, false]);
    expect(notes).toEqual([]);
    clock.ms = 500;
    expect(budget.take(50)).toBe(true);
    expect(notes).toEqual(['21 bytes of output were not logged: more than 100 bytes per second']);
    expect(budget.take(1)).toBe(false);
    budget.end();
    expect(notes[1]).toBe('1 bytes of output were not logged: more than 100 bytes per second');
  });

  it('ends with the total, and says it once', () => {
    const { budget, notes } = setup({ bytesMax: 100 });
    expect([budget.take(90), budget.take(20), budget.take(1)]).toEqual([true, false, false]);
    budget.end();
    expect(notes).toEqual([
      'the log is truncated here: an attempt can log at most 100 bytes',
      '21 bytes of output were not logged: the log is full',
    ]);
  });

  it('says nothing where nothing is left out', () => {
    const { budget, notes } = setup();
    budget.take(10);
    budget.end();
    expect(notes).toEqual([]);
  });
});

describe('the output', () => {
  it('is the first bytes, copied', () => {
    const output = new OutputCapture(5);
    const chunk = Buffer.from('abc');
    output.push(chunk);
    chunk.fill('x');
    output.push(Buffer.from('def'));
    output.push(Buffer.from('ghi'));
    expect(Buffer.from(output.bytes() ?? []).toString()).toBe('abcde');
    expect([output.total, output.isCut]).toEqual([9, true]);
    expect(new OutputCapture(5).bytes()).toBeNull();
  });
});
