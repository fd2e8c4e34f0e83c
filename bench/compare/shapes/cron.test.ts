import { expect, it } from 'vitest';
import { cronOf, latenessOf, nextMinute } from './cron.ts';

const at = (text: string): number => Date.parse(text);

it('takes the first whole minute that leaves the time to make the schedules', () => {
  const now = at('2026-01-31T23:59:30.500Z');
  expect(nextMinute(now, 20_000)).toBe(at('2026-02-01T00:00:00Z'));
  expect(nextMinute(now, 30_000)).toBe(at('2026-02-01T00:01:00Z'));
  expect(nextMinute(at('2026-01-31T12:00:00Z'), 0)).toBe(at('2026-01-31T12:00:00Z'));
});

it('says that minute of every day', () => {
  expect(cronOf(at('2026-02-01T00:05:00Z'))).toBe('5 0 * * *');
  expect(cronOf(at('2026-02-01T23:00:00Z'))).toBe('0 23 * * *');
});

it('tells how late the first, the middle and the last handler started, and refuses early ones', () => {
  expect(latenessOf([30, 10, 20])).toEqual({ lastMs: 30, firstMs: 10, p50Ms: 20 });
  expect(() => latenessOf([30, -5])).toThrow('5 ms before its time');
});
