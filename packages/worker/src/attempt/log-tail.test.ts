import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildRef } from '../testing/fake-node.ts';
import { LogTail } from './log-tail.ts';

describe('the log of an attempt', () => {
  it('cuts long text to size between characters, numbered without a gap', () => {
    const text = fc
      .tuple(fc.constantFrom('é', '𝄞', '€'), fc.nat(80_000), fc.nat(3))
      .map(([character, count, shift]) => 'x'.repeat(shift) + character.repeat(count));
    fc.assert(
      fc.property(text, (whole) => {
        const frames = [...new LogTail(buildRef(1)).frames('stdout', whole)];
        const decoder = new TextDecoder('utf-8', { fatal: true });
        expect(frames.map((frame) => decoder.decode(frame.text)).join('') === whole).toBe(true);
        expect(frames.every((frame) => frame.text.length <= 65_536)).toBe(true);
        expect(frames.map((frame) => frame.number)).toEqual(frames.map((_, i) => i));
      }),
      { numRuns: 30 },
    );
  });

  it('keeps only the end', () => {
    const tail = new LogTail(buildRef(1));
    for (let i = 0; i < 1_000; i += 1) for (const f of tail.frames('log', `${i}`)) tail.keep(f);
    expect(tail.kept.map((frame) => frame.number)).toEqual(
      Array.from({ length: 200 }, (_, i) => 800 + i),
    );
  });

  it('keeps bytes of its own: the buffer of a pipe is filled anew', () => {
    const buffer = new TextEncoder().encode('first');
    const [frame] = [...new LogTail(buildRef(1)).frames('stdout', buffer)];
    buffer.fill(0);
    expect(new TextDecoder().decode(frame?.text)).toBe('first');
  });
});
