import { describe, expect, it } from 'vitest';
import { dayOf, isoDay } from './days.ts';
import { expandRule } from './expand-rule.ts';
import { IcsError } from './ics-lines.ts';
import { parseRule } from './ics-rule.ts';
import { readIcs } from './read-ics.ts';

/** The days that a rule names in the years of the examples. */
function expand(start: string, rule: string): string[] {
  const first = dayOf(start) as number;
  const to = dayOf('20080101') as number;
  const parsed = parseRule(rule, 1);
  const days = expandRule({ rule: parsed, start: first, from: first, to, walked: () => {} });
  return [...days].map(isoDay);
}

/** `1997 9:2,4 10:1` written out. */
function written(text: string): string[] {
  let year = '';
  return text.split(' ').flatMap((word) => {
    const [month = '', days] = word.split(':');
    if (days === undefined) {
      year = word;
      return [];
    }
    return days.split(',').flatMap((each) => {
      const [from = 0, to = from] = each.split('-').map(Number);
      const count = (to as number) - (from as number) + 1;
      return Array.from({ length: count }, (_, i) => {
        const day = String((from as number) + i).padStart(2, '0');
        return `${year}-${month.padStart(2, '0')}-${day}`;
      });
    });
  });
}

const JANUARIES = '1998 1:1-31 1999 1:1-31 2000 1:1-31';
const ELEVEN = '1997 9:2,4,9,11,16,18,23,25,30 10:2';

/**
 * The examples of RFC 5545, 3.8.5.3, in its order, as all-day events. Where UNTIL lies at midnight UTC,
 * before the event of that day, it is the day before. Those without an end are compared from the start.
 */
const EXAMPLES: readonly (readonly [start: string, rule: string, days: string])[] = [
  ['19970902', 'FREQ=DAILY;COUNT=10', '1997 9:2-11'],
  ['19970902', 'FREQ=DAILY;UNTIL=19971223', '1997 9:2-30 10:1-31 11:1-30 12:1-23'],
  ['19970902', 'FREQ=DAILY;INTERVAL=2', '1997 9:2,4,6,8,10,12,14,16,18,20,22,24,26,28,30 10:2,4,6'],
  ['19970902', 'FREQ=DAILY;INTERVAL=10;COUNT=5', '1997 9:2,12,22 10:2,12'],
  ['19980101', 'FREQ=YEARLY;UNTIL=20000131;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA', JANUARIES],
  ['19980101', 'FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1', JANUARIES],
  ['19970902', 'FREQ=WEEKLY;COUNT=10', '1997 9:2,9,16,23,30 10:7,14,21,28 11:4'],
  [
    '19970902',
    'FREQ=WEEKLY;UNTIL=19971223',
    '1997 9:2,9,16,23,30 10:7,14,21,28 11:4,11,18,25 12:2,9,16,23',
  ],
  [
    '19970902',
    'FREQ=WEEKLY;INTERVAL=2;WKST=SU',
    '1997 9:2,16,30 10:14,28 11:11,25 12:9,23 1998 1:6,20 2:3,17',
  ],
  ['19970902', 'FREQ=WEEKLY;UNTIL=19971006;WKST=SU;BYDAY=TU,TH', ELEVEN],
  ['19970902', 'FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH', ELEVEN],
  [
    '19970901',
    'FREQ=WEEKLY;INTERVAL=2;UNTIL=19971223;WKST=SU;BYDAY=MO,WE,FR',
    '1997 9:1,3,5,15,17,19,29 10:1,3,13,15,17,27,29,31 11:10,12,14,24,26,28 12:8,10,12,22',
  ],
  [
    '19970902',
    'FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH',
    '1997 9:2,4,16,18,30 10:2,14,16',
  ],
  [
    '19970905',
    'FREQ=MONTHLY;COUNT=10;BYDAY=1FR',
    '1997 9:5 10:3 11:7 12:5 1998 1:2 2:6 3:6 4:3 5:1 6:5',
  ],
  ['19970905', 'FREQ=MONTHLY;UNTIL=19971223;BYDAY=1FR', '1997 9:5 10:3 11:7 12:5'],
  [
    '19970907',
    'FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU',
    '1997 9:7,28 11:2,30 1998 1:4,25 3:1,29 5:3,31',
  ],
  ['19970922', 'FREQ=MONTHLY;COUNT=6;BYDAY=-2MO', '1997 9:22 10:20 11:17 12:22 1998 1:19 2:16'],
  ['19970928', 'FREQ=MONTHLY;BYMONTHDAY=-3', '1997 9:28 10:29 11:28 12:29 1998 1:29 2:26'],
  [
    '19970902',
    'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15',
    '1997 9:2,15 10:2,15 11:2,15 12:2,15 1998 1:2,15',
  ],
  [
    '19970930',
    'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1',
    '1997 9:30 10:1,31 11:1,30 12:1,31 1998 1:1,31 2:1',
  ],
  [
    '19970910',
    'FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15',
    '1997 9:10-15 1999 3:10-13',
  ],
  [
    '19970902',
    'FREQ=MONTHLY;INTERVAL=2;BYDAY=TU',
    '1997 9:2,9,16,23,30 11:4,11,18,25 1998 1:6,13,20,27 3:3,10,17,24,31',
  ],
  [
    '19970610',
    'FREQ=YEARLY;COUNT=10;BYMONTH=6,7',
    '1997 6:10 7:10 1998 6:10 7:10 1999 6:10 7:10 2000 6:10 7:10 2001 6:10 7:10',
  ],
  [
    '19970310',
    'FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3',
    '1997 3:10 1999 1:10 2:10 3:10 2001 1:10 2:10 3:10 2003 1:10 2:10 3:10',
  ],
  [
    '19970101',
    'FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200',
    '1997 1:1 4:10 7:19 2000 1:1 4:9 7:18 2003 1:1 4:10 7:19 2006 1:1',
  ],
  ['19970519', 'FREQ=YEARLY;BYDAY=20MO', '1997 5:19 1998 5:18 1999 5:17'],
  ['19970512', 'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', '1997 5:12 1998 5:11 1999 5:17'],
  [
    '19970313',
    'FREQ=YEARLY;BYMONTH=3;BYDAY=TH',
    '1997 3:13,20,27 1998 3:5,12,19,26 1999 3:4,11,18,25',
  ],
  [
    '19970605',
    'FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8',
    '1997 6:5,12,19,26 7:3,10,17,24,31 8:7,14,21,28 1998 6:4,11,18,25 7:2,9,16,23,30 8:6,13,20,27',
  ],
  [
    '19970913',
    'FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13',
    '1997 9:13 10:11 11:8 12:13 1998 1:10 2:7 3:7 4:11 5:9 6:13',
  ],
  [
    '19961105',
    'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
    '1996 11:5 2000 11:7 2004 11:2',
  ],
  ['19970904', 'FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3', '1997 9:4 10:7 11:6'],
  [
    '19970929',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2',
    '1997 9:29 10:30 11:27 12:30 1998 1:29 2:26 3:30',
  ],
  ['19970805', 'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO', '1997 8:5,10,19,24'],
  ['19970805', 'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU', '1997 8:5,17,19,31'],
  ['20070115', 'FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5', '2007 1:15,30 2:15 3:15,30'],
];

describe('RFC 5545, 3.8.5.3', () => {
  it.each(EXAMPLES)('%s %s', (start, rule, days) => {
    const expected = written(days);
    const found = expand(start, rule);
    const isEndless = !/COUNT|UNTIL/.test(rule);
    expect(isEndless ? found.slice(0, expected.length) : found).toEqual(expected);
  });

  it('every Friday the 13th, without the day on which the event is defined', () => {
    const event = [
      'DTSTART;VALUE=DATE:19970902',
      'EXDATE;VALUE=DATE:19970902',
      'RRULE:FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13',
    ];
    const text = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...event, 'END:VEVENT', 'END:VCALENDAR'];
    const { blackouts } = readIcs(text.join('\r\n'), Date.UTC(1997, 8, 1));
    expect(blackouts.slice(0, 5)).toEqual(written('1998 2:13 3:13 11:13 1999 8:13 2000 10:13'));
  });

  it.each([
    'FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000Z',
    'FREQ=MINUTELY;INTERVAL=15;COUNT=6',
    'FREQ=MINUTELY;INTERVAL=90;COUNT=4',
    'FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40',
    'FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16',
  ])('refuses what repeats within a day: %s', (rule) => {
    expect(() => parseRule(rule, 7)).toThrow(IcsError);
    expect(() => parseRule(rule, 7)).toThrow(/line 7: /);
  });
});

describe('rules beyond the examples', () => {
  it.each([
    // Weeks of the turn of the year belong to one year, and a week without a weekday means that of the start.
    ['19971229', 'FREQ=YEARLY;BYWEEKNO=1;COUNT=3', '1997 12:29 1999 1:4 2000 1:3'],
    ['19971222', 'FREQ=YEARLY;BYWEEKNO=-1;COUNT=3', '1997 12:22 1998 12:28 1999 12:27'],
    ['19970101', 'FREQ=YEARLY;BYYEARDAY=-1;COUNT=3', '1997 1:1 12:31 1998 12:31'],
    ['20000229', 'FREQ=YEARLY;COUNT=3', '2000 2:29 2004 2:29 2008 2:29'],
    ['19970131', 'FREQ=MONTHLY;COUNT=4', '1997 1:31 3:31 5:31 7:31'],
    // The start is an occurrence although the rule does not name it.
    ['19970902', 'FREQ=MONTHLY;BYMONTHDAY=1;COUNT=3', '1997 9:2 10:1 11:1'],
  ])('%s %s', (start, rule, days) => {
    const first = dayOf(start) as number;
    const to = dayOf('20100101') as number;
    const expansion = { rule: parseRule(rule, 1), start: first, from: first, to, walked: () => {} };
    expect([...expandRule(expansion)].map(isoDay)).toEqual(written(days));
  });

  it('names the same days wherever it begins to be read', () => {
    const to = dayOf('20080101') as number;
    for (const [start, text] of EXAMPLES) {
      const rule = parseRule(text, 1);
      const first = dayOf(start) as number;
      const of = { rule, start: first, to, walked: () => {} };
      const all = [...expandRule({ ...of, from: first })];
      for (const from of [first + 1, first + 400, first + 2_000]) {
        expect([...expandRule({ ...of, from })], text).toEqual(all.filter((day) => day >= from));
      }
    }
  });

  it.each([
    ['FREQ=DAILY;COUNT=2;UNTIL=20260101', /both COUNT and UNTIL/],
    ['FREQ=DAILY;BYDAY=MO;BYDAY=TU', /BYDAY twice/],
    ['FREQ=DAILY;INTERVAL=1,2', /INTERVAL/],
    ['FREQ=DAILY;INTERVAL=0', /INTERVAL/],
    ['FREQ=DAILY;COUNT', /COUNT/],
    ['FREQ=DAILY;RSCALE=HEBREW', /RSCALE/],
    ['FREQ=WEEKLY;BYMONTHDAY=1', /BYMONTHDAY is not supported/],
    ['FREQ=MONTHLY;BYWEEKNO=1', /BYWEEKNO is not supported/],
    ['FREQ=WEEKLY;BYDAY=1MO', /nth weekday/],
    ['FREQ=YEARLY;BYWEEKNO=2;BYDAY=1MO', /nth weekday/],
    ['FREQ=YEARLY;BYSETPOS=1', /BYSETPOS/],
    ['FREQ=YEARLY;BYDAY=54MO', /not a weekday/],
    ['FREQ=DAILY;WKST=XX', /not a weekday/],
    ['FREQ=YEARLY;BYMONTH=-1', /BYMONTH/],
    [`FREQ=YEARLY;BYYEARDAY=${Array(401).fill('1').join(',')}`, /more than 400/],
  ])('refuses %s', (rule, why) => {
    expect(() => parseRule(rule, 1)).toThrow(IcsError);
    expect(() => parseRule(rule, 1)).toThrow(why);
  });
});
