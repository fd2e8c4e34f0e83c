import { describe, expect, it } from 'vitest';
import { civilDateOf, dayNumberOf, daysInMonth, weekdayOf } from './civil.ts';

describe('days and dates', () => {
  it('agree with the calendar of the runtime on every day of eight centuries', () => {
    const first = Date.UTC(1600, 0, 1) / 86_400_000;
    const last = Date.UTC(2400, 0, 1) / 86_400_000;
    let differences = 0;
    for (let day = first; day <= last; day++) {
      const date = new Date(day * 86_400_000);
      const [year, month, dayOfMonth] = [
        date.getUTCFullYear(),
        date.getUTCMonth() + 1,
        date.getUTCDate(),
      ];
      const civil = civilDateOf(day);
      const isSame =
        civil.year === year &&
        civil.month === month &&
        civil.day === dayOfMonth &&
        dayNumberOf(year, month, dayOfMonth) === day &&
        weekdayOf(day) === date.getUTCDay() &&
        (dayOfMonth !== 1 ||
          daysInMonth(year, month) === new Date(Date.UTC(year, month, 0)).getUTCDate());
      if (!isSame) differences++;
    }
    expect(last - first).toBe(292_194);
    expect(differences).toBe(0);
  });
});
