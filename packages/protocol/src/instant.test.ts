import { expect, it } from 'vitest';
import { anyInstantMs, instantMs, readInstant } from './instant.ts';
import { LIMITS, rangeText } from './limits.ts';

it.each([
  ['2030-01-31', '2030-01-31T00:00:00.000Z'],
  ['2030-01-31T09:00Z', '2030-01-31T09:00:00.000Z'],
  ['2030-01-31T09:00:00Z', '2030-01-31T09:00:00.000Z'],
  ['2030-01-31t09:00:00z', '2030-01-31T09:00:00.000Z'],
  ['2030-01-31T09:00:00.250+02:00', '2030-01-31T07:00:00.250Z'],
  ['2030-01-31T23:59:59.123456789-11:30', '2030-02-01T11:29:59.123Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['1970-01-01', '1970-01-01T00:00:00.000Z'],
  ['2199-12-31T23:59:59.999Z', '2199-12-31T23:59:59.999Z'],
])('%s is %s', (text, instant) => {
  expect(new Date(instantMs(text) ?? Number.NaN).toISOString()).toBe(instant);
  expect(anyInstantMs(text)).toBe(instantMs(text));
});

it.each([
  '',
  'tomorrow',
  'NaN',
  '2030',
  '2030-02-30',
  '2030-02-30T00:00:00Z',
  '2029-02-29T00:00:00Z',
  '2030-13-01',
  '2030-00-01',
  '2030-01-00',
  '2030-01-31T09:00:00',
  '2030-01-31 09:00:00Z',
  '2030-01-31T24:00:00Z',
  '2030-01-31T23:60:00Z',
  '2016-12-31T23:59:60Z',
  '2030-01-31T09:00:00.Z',
  '2030-01-31T09:00:00+24:00',
  '2030-01-31T09:00:00+01:60',
  '2030-01-31T09:00:00+0100',
  '2030-01-31Z',
  '2030-01-31T09:00:00Z ',
  '+002030-01-31T09:00:00Z',
  5,
  Number.NaN,
  null,
])('%s is not an instant', (value) => {
  expect(instantMs(value)).toBeNull();
  expect(anyInstantMs(value)).toBeNull();
});

it.each(['0001-01-01T00:00:00Z', '1969-12-31T23:59:59.999Z', '2200-01-01', '9999-12-31'])(
  '%s is beyond the range of instants',
  (text) => {
    expect(instantMs(text)).toBeNull();
    expect(anyInstantMs(text)).toBe(Date.parse(text));
  },
);

it('names the range', () => {
  expect(rangeText('instant')).toBe(
    'a date and time in ISO 8601 with a UTC offset, or a date, from 1970-01-01 to 2199-12-31',
  );
  expect(new Date(LIMITS.instant.max).toISOString()).toBe('2199-12-31T23:59:59.999Z');
});

it('reads a wall clock without an offset', () => {
  expect(readInstant('2030-01-31T09:00')).toEqual({
    wallMs: Date.UTC(2030, 0, 31, 9),
    offsetMs: null,
  });
});
