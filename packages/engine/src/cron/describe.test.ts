import { describe, expect, it } from 'vitest';
import { describeCron } from './describe.ts';
import { parsedCron } from './testing/cron-in.ts';

describe('describeCron', () => {
  it.each([
    ['30 2 * * *', 'at 02:30 every day'],
    ['0 9,17 * * MON-FRI', 'at 09:00 and 17:00 on Monday to Friday'],
    ['15 30 2 * * *', 'at 02:30:15 every day'],
    ['* * * * *', 'every minute every day'],
    ['*/15 * * * *', 'every 15 minutes every day'],
    ['*/10 * * * * *', 'every 10 seconds every day'],
    ['0 * * * *', 'every hour every day'],
    ['0 */2 * * *', 'every 2 hours every day'],
    ['5 * * * *', 'minute 5 of every hour every day'],
    ['*/5 9-17 * * *', 'every 5 minutes of hour 9 to 17 every day'],
    ['* * 3 * * *', 'every second of every minute of hour 3 every day'],
    ['0 0 1,15 * *', 'at 00:00 on day 1 and 15 of the month'],
    ['0 0 29 2 1', 'at 00:00 on day 29 of the month or on Monday in February'],
    ['0 0 L * ?', 'at 00:00 on the last day of the month'],
    ['0 0 L-3 * ?', 'at 00:00 on day 3 before the last of the month'],
    ['0 0 LW * ?', 'at 00:00 on the last weekday of the month'],
    [
      '0 0 15W 1-3,12 ?',
      'at 00:00 on the weekday nearest to day 15 of the month in January to March and December',
    ],
    [
      '0 0 ? * FRI#2,5L',
      'at 00:00 on the 2nd Friday of the month or on the last Friday of the month',
    ],
    ['@yearly', 'at 00:00 on day 1 of the month in January'],
  ])('%s', (text, words) => {
    expect(describeCron(parsedCron(text))).toBe(words);
  });
});
