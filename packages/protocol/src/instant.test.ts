import { expect, it } from 'vitest';
import { instantMs } from './instant.ts';

it.each([
  ['2030-01-31', '2030-01-31T00:00:00.000Z'],
  ['2030-01-31T09:00:00Z', '2030-01-31T09:00:00.000Z'],
  ['2030-01-31T09:00:00.250+02:00', '2030-01-31T07:00:00.250Z'],
])('%s is %s', (text, instant) => {
  expect(new Date(instantMs(text) ?? Number.NaN).toISOString()).toBe(instant);
});

it.each(['', 'tomorrow', '2030-02-30', '2030-13-01', '2030-01-31T09:00:00', '2030', 5, null])(
  '%s is no instant',
  (value) => {
    expect(instantMs(value)).toBeNull();
  },
);
