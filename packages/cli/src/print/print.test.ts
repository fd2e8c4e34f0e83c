import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { fakeApp } from '../testing/fake-app.ts';
import { paint } from './paint.ts';
import { printFields, printTable } from './table.ts';
import { elapsed, relative, span } from './times.ts';

const NOW = Date.parse('2030-01-01T12:00:00Z');
const ago = (ms: number): string => new Date(NOW - ms).toISOString();

describe('printTable', () => {
  it('aligns columns under a heading on a terminal, colours not counted', () => {
    const { terminal, out } = fakeApp({ isTty: true, hasColour: true });
    printTable(
      terminal,
      ['JOB', 'STATE', 'N'],
      [
        ['a', terminal.paint.state('FAILED'), '1'],
        ['longer', terminal.paint.state('SUCCEEDED'), '22'],
      ],
    );
    const plain = out.map((line) => stripVTControlCharacters(line));
    expect(plain).toEqual([
      'JOB     STATE      N',
      'a       FAILED     1',
      'longer  SUCCEEDED  22',
    ]);
    expect(out[1]).toContain('\u001b[31mFAILED');
  });

  it('prints tabs, no heading and no colour where it is no terminal', () => {
    const { terminal, out } = fakeApp({});
    printTable(terminal, ['JOB', 'STATE'], [['a', paint(true).state('FAILED')]]);
    expect(out).toEqual(['a\tFAILED']);
  });

  it('keeps a hostile name from steering the terminal or breaking the table', () => {
    const { terminal, out } = fakeApp({ isTty: true });
    printTable(terminal, ['JOB'], [['a\u001b]0;owned\u0007\nb\u001b[2J']]);
    expect(out[1]).toBe('a\\x1b]0;owned\\x07 b\\x1b[2J');
  });

  it('puts the values of fields under each other', () => {
    const { terminal, out } = fakeApp({});
    printFields(terminal, [
      ['run', 'x'],
      ['state', 'FAILED'],
    ]);
    expect(out).toEqual(['run:   x', 'state: FAILED']);
  });
});

describe('times', () => {
  it.each([
    [ago(0), 'just now'],
    [ago(12_000), '12s ago'],
    [ago(3_600_000 * 3), '3h ago'],
    [ago(86_400_000 * 2), '2d ago'],
    [ago(-300_000), 'in 5m'],
    [null, ''],
  ])('%s is %s', (at, text) => {
    expect(relative(at, NOW)).toBe(text);
  });

  it.each([
    [42, '42 ms'],
    [3_210, '3.2 s'],
    [307_000, '5m 7s'],
    [7_440_000, '2h 4m'],
    [86_400_000, '1d'],
  ])('%i ms is %s', (ms, text) => {
    expect(span(ms)).toBe(text);
  });

  it('measures until now where there is no end', () => {
    expect(elapsed(ago(2_000), null, NOW)).toBe('2.0 s');
    expect(elapsed(null, null, NOW)).toBe('');
  });
});
