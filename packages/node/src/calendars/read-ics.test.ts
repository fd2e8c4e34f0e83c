import { describe, expect, it } from 'vitest';
import { IcsError } from './ics-lines.ts';
import { ICS_CHARS_MAX, readIcs } from './read-ics.ts';

const NOW = Date.UTC(2026, 0, 1);
const event = (...lines: string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n');
const file = (...events: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...events, 'END:VCALENDAR', ''].join('\r\n');
const days = (...lines: string[]) => readIcs(file(event(...lines)), NOW).blackouts;

describe('an iCalendar file', () => {
  it('closes the days of its all-day events, up to the day before their end', () => {
    expect(days('DTSTART;VALUE=DATE:20260501')).toEqual(['2026-05-01']);
    expect(days('DTSTART;VALUE=DATE:20261228', 'DTEND;VALUE=DATE:20270101')).toEqual([
      '2026-12-28/2026-12-31',
    ]);
    expect(days('DTSTART;VALUE=DATE:20260803', 'DURATION:P2W')).toEqual(['2026-08-03/2026-08-16']);
  });

  it('says what comes back on one date once for all years', () => {
    expect(
      days('DTSTART;VALUE=DATE:20101225', 'DTEND;VALUE=DATE:20101227', 'RRULE:FREQ=YEARLY'),
    ).toEqual(['12-25', '12-26']);
  });

  it('writes down rules by weekday, for ten years ahead and not for what is long over', () => {
    const thanksgiving = days(
      'DTSTART;VALUE=DATE:20201126',
      'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH',
    );
    expect(thanksgiving.slice(0, 3)).toEqual(['2025-11-27', '2026-11-26', '2027-11-25']);
    expect(thanksgiving).toHaveLength(11);
    const memorial = days('DTSTART;VALUE=DATE:20250526', 'RRULE:FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO');
    expect(memorial.slice(0, 2)).toEqual(['2025-05-26', '2026-05-25']);
    expect(days('DTSTART;VALUE=DATE:20260102', 'RRULE:FREQ=WEEKLY;COUNT=3')).toEqual([
      '2026-01-02',
      '2026-01-09',
      '2026-01-16',
    ]);
    expect(
      days(
        'DTSTART;VALUE=DATE:20260105',
        'RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20260125',
      ),
    ).toEqual(['2026-01-05', '2026-01-07', '2026-01-19', '2026-01-21']);
    expect(days('DTSTART;VALUE=DATE:20260131', 'RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3')).toEqual(
      ['2026-01-31', '2026-02-28', '2026-03-31'],
    );
  });

  it('reads rules that began long ago or begin later, and those without an end', () => {
    const monday = 'RRULE:FREQ=YEARLY;BYMONTH=1;BYDAY=2MO';
    for (const start of ['19010114', '19600111', '19700112', '20200113']) {
      const found = days(`DTSTART;VALUE=DATE:${start}`, monday);
      expect(found[0], start).toBe('2025-01-13');
      expect(found.at(-1), start).toBe('2035-01-08');
    }
    const later = days('DTSTART;VALUE=DATE:20300501', 'RRULE:FREQ=YEARLY');
    expect(later.slice(0, 2)).toEqual(['2030-05-01', '2031-05-01']);
    expect(later).toHaveLength(11);
    expect(days('DTSTART;VALUE=DATE:20500501', 'RRULE:FREQ=YEARLY')[0]).toBe('2050-05-01');
  });

  it('closes the days of RDATE, and moves a day of a series that was changed by itself', () => {
    expect(days('DTSTART;VALUE=DATE:20261225', 'RDATE;VALUE=DATE:20261226,20261228')).toEqual([
      '2026-12-25/2026-12-26',
      '2026-12-28',
    ]);
    const series = event('UID:a', 'DTSTART;VALUE=DATE:20260102', 'RRULE:FREQ=WEEKLY;COUNT=4');
    const moved = event('UID:a', 'RECURRENCE-ID;VALUE=DATE:20260109', 'DTSTART:20260110');
    const off = event(
      'UID:a',
      'RECURRENCE-ID;VALUE=DATE:20260116',
      'DTSTART:20260116',
      'STATUS:CANCELLED',
    );
    for (const text of [file(series, moved, off), file(off, moved, series)]) {
      expect(readIcs(text, NOW).blackouts).toEqual(['2026-01-02', '2026-01-10', '2026-01-23']);
    }
  });

  it('writes several days around the end of February down year by year', () => {
    const found = days(
      'DTSTART;VALUE=DATE:20250228',
      'DTEND;VALUE=DATE:20250302',
      'RRULE:FREQ=YEARLY',
    );
    expect(found.slice(0, 4)).toEqual([
      '2025-02-28/2025-03-01',
      '2026-02-28/2026-03-01',
      '2027-02-28/2027-03-01',
      '2028-02-28/2028-02-29',
    ]);
  });

  it('leaves out days that are excepted, events that were called off, and those with a time', () => {
    const rule = ['DTSTART;VALUE=DATE:20260102', 'RRULE:FREQ=WEEKLY;COUNT=3'];
    expect(days(...rule, 'EXDATE;VALUE=DATE:20260109')).toEqual(['2026-01-02', '2026-01-16']);
    const found = readIcs(
      file(
        event('DTSTART;VALUE=DATE:20260501'),
        event('DTSTART;VALUE=DATE:20260502', 'STATUS:CANCELLED'),
        event('DTSTART;TZID=Europe/Berlin:20260503T100000', 'DTEND:20260503T110000'),
      ),
      NOW,
    );
    expect(found).toEqual({ blackouts: ['2026-05-01'], events: 3, timed: 2 });
  });

  it('reads folded lines, quoted parameters, small letters, other line ends and alarms inside', () => {
    const text = file(
      event(
        'SUMMARY;ALTREP="http://a:b/c":A very lo',
        ' ng title',
        'dtstart;value=da',
        '\tte:20260501',
        'BEGIN:VALARM',
        'DTSTART;VALUE=DATE:19990101',
        'END:VALARM',
      ),
    );
    for (const each of [text, text.replaceAll('\r\n', '\n'), `\uFEFF${text}`]) {
      expect(readIcs(each, NOW).blackouts).toEqual(['2026-05-01']);
    }
  });

  it('refuses what it cannot read, and names the line', () => {
    const bad = [
      ['hello', /line 1/],
      ['BEGIN:VEVENT\nDTSTART:20260101\nEND:VEVENT', /BEGIN:VCALENDAR is missing/],
      [file(), /no event/],
      [file(event('DTSTART;VALUE=DATE:20260230')), /line 4: DTSTART must be a date/],
      [file(event('DTSTART:20260101', 'RRULE:FREQ=SECONDLY')), /line 5/],
      [file(event('DTSTART:20260101', 'RRULE:FREQ=YEARLY;BYSETPOS=1')), /BYSETPOS/],
      [file(event('DTSTART:20260101', 'DTEND:20990101')), /longer than a year/],
      ['BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260101', /END:VEVENT/],
      [file(event('SUMMARY:x')), /no DTSTART/],
      [file(event('DTSTART:20260102', 'DTEND:20260101')), /ends before it starts/],
      [file(event('DTSTART:20260102', 'DTEND:20260103T120000')), /line 5: DTEND .* a time/],
      [file(event('DTSTART:20260101', 'RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY')), /one RRULE/],
      [file(event('DTSTART:20260101', 'EXRULE:FREQ=DAILY')), /EXRULE/],
      [file(event('DTSTART:20260101', 'RDATE:20260102T100000')), /line 5: RDATE .* a time/],
      [file(event('DTSTART:20260101', 'RDATE;VALUE=PERIOD:20260102/P1D')), /RDATE/],
      [file(event('DTSTART:18991231')), /from 1900 on/],
      [file(event('DTSTART:20260101', 'RECURRENCE-ID;RANGE=THISANDFUTURE:20260101')), /RANGE/],
      [file(event('DTSTART:20260101', `EXDATE:${'20260101,'.repeat(1_200)}20260101`)), /too long/],
    ] as const;
    for (const [text, why] of bad) {
      expect(() => readIcs(text, NOW), text.slice(0, 80)).toThrow(IcsError);
      expect(() => readIcs(text, NOW)).toThrow(why);
    }
  });

  it('is bounded, whatever it holds', () => {
    expect(() => readIcs('x'.repeat(ICS_CHARS_MAX + 1), NOW)).toThrow(/more than/);
    const many = Array(5_001).fill(event('DTSTART:20260101'));
    expect(() => readIcs(file(...many), NOW)).toThrow(/more than 5000 events/);
    const rules = Array(201).fill(
      event('DTSTART:19000101', 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'),
    );
    expect(() => readIcs(file(...rules), NOW)).toThrow(/more than 200 events/);
    expect(days('DTSTART:19000101', 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30')).toEqual([]);
    const counted = Array(200).fill(
      event('DTSTART:19000101', 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=100000'),
    );
    expect(() => readIcs(file(...counted), NOW)).toThrow(/too many days/);
    const folded = `X:${'\r\n a'.repeat(200_000)}`;
    expect(readIcs(file(event('DTSTART:20260101', folded)), NOW).blackouts).toHaveLength(1);
  });
});
