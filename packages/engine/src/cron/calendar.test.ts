import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../../tools/testing/processor-time.ts';
import { type Calendar, type CalendarData, closedAt, parseCalendar } from './calendar.ts';
import { cronOf } from './cron.ts';
import { parsedCron, zoneNamed } from './testing/cron-in.ts';
import { nextWindow, previousWindow } from './windows.ts';

function calendarOf(data: CalendarData): Calendar {
  const parsed = parseCalendar(data);
  if (parsed.kind === 'refused') throw new Error(parsed.refusal.message);
  return parsed.calendar;
}

const closed = (data: CalendarData, local: string) =>
  closedAt(calendarOf(data), Date.parse(`${local}Z`) / 1_000);

describe('a calendar', () => {
  it('closes weekends and black-outs by local date', () => {
    const data = {
      weekdaysOnly: true,
      blackouts: ['12-25', '2026-05-01', '2026-12-28/2026-12-31', '02-29'],
      open: ['2026-12-19', '2026-12-29'],
    };
    expect(closed(data, '2026-11-13T23:59:59')).toBeNull();
    expect(closed(data, '2026-11-14T00:00:00')).toBe('weekend');
    expect(closed(data, '2026-11-15T12:00:00')).toBe('weekend');
    expect(closed(data, '2026-12-25T00:00:00')).toBe('blackout');
    expect(closed(data, '2031-12-25T00:00:00')).toBe('blackout');
    expect(closed(data, '2026-05-01T00:00:00')).toBe('blackout');
    expect(closed(data, '2028-05-01T00:00:00')).toBeNull();
    expect(closed(data, '2026-12-28T00:00:00')).toBe('blackout');
    expect(closed(data, '2026-12-31T23:00:00')).toBe('blackout');
    expect(closed(data, '2027-01-01T00:00:00')).toBeNull();
    expect(closed(data, '2028-02-29T00:00:00')).toBe('blackout');
    expect(closed(data, '2026-12-19T00:00:00')).toBeNull();
    expect(closed(data, '2026-12-29T00:00:00')).toBeNull();
  });

  it.each([
    [{ blackouts: ['2026-02-30'] }, 'blackouts[0]', 'is not a date'],
    [{ blackouts: ['12-25', '13-01'] }, 'blackouts[1]', 'is not a date'],
    [{ blackouts: ['2026-02-02/2026-02-01'] }, 'blackouts[0]', 'ends before it starts'],
    [{ blackouts: ['2026-02-02/2026-02-03/2026-02-04'] }, 'blackouts[0]', 'is not a date'],
    [{ blackouts: ['0001-01-01/9999-12-31'] }, 'blackouts[0]', 'more than 20000 days'],
    [{ open: ['12-25'] }, 'open[0]', 'is not a date'],
  ] as const)('refuses %j', (data, field, message) => {
    const parsed = parseCalendar(data);
    expect(parsed).toMatchObject({ kind: 'refused', refusal: { field } });
    expect(parsed.kind === 'refused' && parsed.refusal.message).toContain(message);
  });
});

describe('windows under a calendar', () => {
  const cronWith = (text: string, data: CalendarData) =>
    cronOf({
      expression: parsedCron(text),
      zone: zoneNamed('America/New_York'),
      calendar: calendarOf(data),
    });

  it('exist on open local days only, forth and back', () => {
    const payroll = cronWith('0 22 * * *', {
      weekdaysOnly: true,
      blackouts: ['2026-12-24/2026-12-25'],
    });
    // 22:00 in New York is the next day in UTC: Wednesday, then Monday.
    const wednesday = Date.parse('2026-12-24T03:00Z');
    const monday = Date.parse('2026-12-29T03:00Z');
    expect(nextWindow(payroll, wednesday - 1)).toBe(wednesday);
    expect(nextWindow(payroll, wednesday)).toBe(monday);
    expect(previousWindow(payroll, monday)).toBe(wednesday);
  });

  it('pass over a closed day of minutes in one step, and give up where all is closed', () => {
    const from = Date.parse('2026-01-01T00:00Z');
    const late = cronWith('* * * * *', { blackouts: ['2025-12-01/2027-11-30'] });
    expect(nextWindow(late, from)).toBe(Date.parse('2027-12-01T05:00Z'));
    expect(previousWindow(late, from)).toBe(Date.parse('2025-12-01T04:59Z'));
    const never = cronWith('* * * * * 6', { weekdaysOnly: true });
    expect(nextWindow(never, from)).toBeNull();
    expect(previousWindow(never, from)).toBeNull();
    expect(processorMs(() => nextWindow(never, from))).toBeLessThan(50);
  });
});
