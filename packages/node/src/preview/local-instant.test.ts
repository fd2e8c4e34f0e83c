import { UTC } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import { findZone } from '../zones/index.ts';
import { parseInstant } from './local-instant.ts';

const berlin = findZone('Europe/Berlin') ?? UTC;

describe('parseInstant', () => {
  it.each([
    ['2025-07-01T12:00Z', '2025-07-01T12:00:00.000Z'],
    ['2025-07-01T12:00:00.123456+05:30', '2025-07-01T06:30:00.123Z'],
    ['2025-07-01T12:00:30', '2025-07-01T10:00:30.000Z'],
    ['2025-01-01', '2024-12-31T23:00:00.000Z'],
    // Repeated on the night of 26 October: the first of the two.
    ['2025-10-26T02:30', '2025-10-26T00:30:00.000Z'],
    ['2025-10-26T03:00', '2025-10-26T02:00:00.000Z'],
    ['2025-03-30T01:59', '2025-03-30T00:59:00.000Z'],
    ['2025-03-30T03:00', '2025-03-30T01:00:00.000Z'],
    // Jumped over on the night of 30 March.
    ['2025-03-30T02:30', '2025-03-30T01:30:00.000Z'],
  ])('%s in Berlin', (text, expected) => {
    const ms = parseInstant(text, berlin);
    expect(ms === null ? null : new Date(ms).toISOString()).toBe(expected);
  });

  it.each([
    '',
    'now',
    '2025',
    '2025-13-01',
    '2025-02-30T00:00Z',
    '12:00',
    '2025-07-01 12:00',
    '1e9',
  ])('%j is none', (text) => {
    expect(parseInstant(text, berlin)).toBeNull();
  });
});
