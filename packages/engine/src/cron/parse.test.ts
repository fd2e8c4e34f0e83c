import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../../tools/testing/processor-time.ts';
import { CRON_TEXT_LENGTH_MAX, parseCron } from './parse.ts';

function refusalOf(text: string) {
  const parsed = parseCron(text);
  if (parsed.kind === 'parsed') throw new Error(`${text} was not refused`);
  return parsed.refusal;
}

describe('parseCron', () => {
  it.each([
    ['61 * * * *', { field: 'minute', position: 1 }, '"61" is not a number from 0 to 59'],
    ['0 24 * * *', { field: 'hour', position: 3 }, '"24" is not a number from 0 to 23'],
    ['0 0 1,2,32 * *', { field: 'dayOfMonth', position: 9 }, '"32" is not a number from 1 to 31'],
    [
      '0 0 * JANUARY *',
      { field: 'month', position: 7 },
      '"JANUARY" is not a number from 1 to 12 or a name such as FEB',
    ],
    [
      '0 0 * * MON-FRY',
      { field: 'dayOfWeek', position: 13 },
      '"FRY" is not a number from 0 to 7 or a name such as MON',
    ],
    ['60 0 0 * * *', { field: 'second', position: 1 }, '"60" is not a number from 0 to 59'],
    [
      '0\t 0/60 * * *',
      { field: 'hour', position: 6 },
      'the step "60" is not a number from 1 to 23',
    ],
    ['0 5-1 * * *', { field: 'hour', position: 3 }, 'the range 5-1 goes backwards'],
    ['0 0 * * FRI-MON', { field: 'dayOfWeek', position: 9 }, 'the range FRI-MON goes backwards'],
    ['0 0 1,,2 * *', { field: 'dayOfMonth', position: 5 }, 'the list "1,,2" has an empty item'],
    ['0 0 1,15W * *', { field: 'dayOfMonth', position: 7 }, '"15W" cannot be part of a list'],
    [
      '0 0 L-31 * *',
      { field: 'dayOfMonth', position: 7 },
      '"L-31" needs a number of days before the last',
    ],
    ['0 0 * * FRI#6', { field: 'dayOfWeek', position: 13 }, '"FRI#6" needs a number from 1 to 5'],
    ['0 ? * * *', { field: 'hour', position: 3 }, '"?" is not a number from 0 to 23'],
    ['0 0 ?/2 * *', { field: 'dayOfMonth', position: 5 }, '"?" is not a number from 1 to 31'],
    [
      '* * * *',
      { field: 'expression', position: 1 },
      'the expression has 4 fields; write 5 fields, or 6 with seconds first',
    ],
    ['0 0 1 1 * * 2030', { field: 'expression', position: 13 }, 'the expression has 7 fields'],
    [
      'TZ=UTC 0 0 * * *',
      { field: 'expression', position: 1 },
      'the time zone is not part of the expression; set it as the time zone of the schedule',
    ],
    [
      '@reboot',
      { field: 'expression', position: 1 },
      '"@reboot" must be one of @yearly, @annually, @monthly, @weekly',
    ],
    ['@daily 5', { field: 'expression', position: 1 }, '"@daily" must be one of'],
    ['@every 5m', { field: 'expression', position: 1 }, 'for an interval, use every'],
    [' ', { field: 'expression', position: 1 }, 'the expression is empty'],
    [
      '0 0 30 2 *',
      { field: 'dayOfMonth', position: 5 },
      'the expression never fires: no month in it has such a day',
    ],
    ['0 0 31 4,6,9,11 *', { field: 'dayOfMonth', position: 5 }, 'the expression never fires'],
    ['0 0 30W FEB *', { field: 'dayOfMonth', position: 5 }, 'the expression never fires'],
    ['0 0 L-29 2 ?', { field: 'dayOfMonth', position: 5 }, 'the expression never fires'],
    ['0 0\n* * *', { field: 'expression', position: 1 }, 'the expression has 4 fields'],
    ['0 0 * * *\u00a0', { field: 'dayOfWeek', position: 9 }, 'is not a number from 0 to 7'],
  ])('TRG-06 refuses %j and says where', (text, place, message) => {
    const refusal = refusalOf(text);
    expect(refusal).toMatchObject(place);
    expect(refusal.message).toContain(message);
  });

  it.each(['0 0 29 2 *', '0 0 * 2 MON#5', '0 0 30 2 MON', '0 0 L-28 2 *', '0 0 31 1-12 *'])(
    'TRG-08 takes %s, which fires rarely',
    (text) => {
      expect(parseCron(text).kind).toBe('parsed');
    },
  );

  it('TRG-08 answers within 50 ms, whatever the text', () => {
    const texts = [
      'x'.repeat(1_000_000),
      `${'1,'.repeat(200)}1 * * * *`,
      `${'*/1,'.repeat(100)}* ${'0-23,'.repeat(10)}0 * * *`,
      `0 0 ${'L,'.repeat(200)}L * *`,
      `0 0 * * ${'MON#1,'.repeat(60)}5L`,
      ' '.repeat(CRON_TEXT_LENGTH_MAX),
      ','.repeat(CRON_TEXT_LENGTH_MAX),
      '0 0 31 2,4,6,9,11 ?',
    ];
    for (const text of texts) {
      expect(
        processorMs(() => parseCron(text)),
        text.slice(0, 40),
      ).toBeLessThan(50);
    }
  });

  it('refuses a text that is too long, and does not repeat it', () => {
    const refusal = refusalOf('0'.repeat(CRON_TEXT_LENGTH_MAX + 1));
    expect(refusal).toEqual({
      field: 'expression',
      position: 513,
      message: 'the expression has 513 characters; at most 512 are allowed',
    });
    expect(refusalOf(`${'9'.repeat(300)} * * * *`).message.length).toBeLessThan(100);
  });
});
