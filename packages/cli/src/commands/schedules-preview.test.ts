import { describe, expect, it } from 'vitest';
import { runCommand } from '../program.ts';
import { fakeApp } from '../testing/fake-app.ts';

async function run(args: string[], params: Parameters<typeof fakeApp>[0] = {}) {
  const app = fakeApp(params);
  const code = await runCommand(app, ['schedules', 'preview', ...args]);
  return { code, ...app.texts };
}

const NEW_YORK = ['30 2 * * *', '--timezone', 'America/New_York', '--from', '2025-03-08T12:00Z'];

describe('schedules preview', () => {
  it('EXT-05 marks every clock change between the windows', async () => {
    const { code, out, err } = await run([...NEW_YORK, '--limit', '2']);
    expect(code).toBe(0);
    expect(err).toBe('at 02:30 every day, America/New_York\n');
    expect(out.split('\n')).toEqual([
      '-\tSun 2025-03-09 02:00:00 -05:00 → Sun 2025-03-09 03:00:00 -04:00\tclocks go forward 1 h',
      '2025-03-09T07:00:00.000Z\tSun 2025-03-09 03:00:00 -04:00\tshifted',
      '2025-03-10T06:30:00.000Z\tMon 2025-03-10 02:30:00 -04:00\t',
      '',
    ]);
  });

  it('EXT-05 tells the first from the second of two', async () => {
    const args = ['0 1 * * *', '--timezone', 'Europe/London', '--from', '2025-10-25T12:00Z'];
    const { out } = await run([...args, '--limit', '2', '--dst-overlap', 'both']);
    expect(out.split('\n')).toEqual([
      '2025-10-26T00:00:00.000Z\tSun 2025-10-26 01:00:00 +01:00\tfirst of two',
      '-\tSun 2025-10-26 02:00:00 +01:00 → Sun 2025-10-26 01:00:00 +00:00\tclocks go back 1 h',
      '2025-10-26T01:00:00.000Z\tSun 2025-10-26 01:00:00 +00:00\tsecond of two',
      '',
    ]);
  });

  it('EXT-05 marks a hundred windows over fifty years, each change once and in order', async () => {
    const args = ['0 0 1 1,7 *', '--timezone', 'Europe/Berlin', '--from', '1990-01-01', '--json'];
    const { out } = await run([...args, '--limit', '100']);
    const { next, changes, marks } = JSON.parse(out) as {
      next: string[];
      changes: { at: string; before: string; after: string }[];
      marks: unknown[];
    };
    expect(next).toHaveLength(100);
    expect(marks).toEqual([]);
    expect(changes).toHaveLength(100);
    expect(changes[0]).toEqual({
      at: '1990-03-25T01:00:00.000Z',
      before: '+01:00',
      after: '+02:00',
    });
    expect(new Set(changes.map(({ at }) => at)).size).toBe(100);
    expect([...changes].sort((a, b) => a.at.localeCompare(b.at))).toEqual(changes);
  });

  it('begins now where nothing is said, and shows ten windows', async () => {
    const now = Date.parse('2026-11-16T04:00:00Z');
    const { out } = await run(['@hourly', '--json'], { now });
    const { next, words } = JSON.parse(out) as { next: string[]; words: string };
    expect(words).toBe('every hour every day');
    expect(next).toHaveLength(10);
    expect(next[0]).toBe('2026-11-16T05:00:00.000Z');
  });

  it('ends before --until, and says where there is no window', async () => {
    const until = ['--until', '2025-03-09T07:00Z'];
    expect(await run([...NEW_YORK, ...until])).toMatchObject({ code: 0, out: '' });
    expect((await run([...NEW_YORK, ...until])).err).toContain('no window');
  });

  it.each([
    [
      ['61 * * * *'],
      'error: minute: "61" is not a number from 0 to 59\nhint:  61 * * * *\n       ^',
    ],
    [['0 0 30 2 *'], 'dayOfMonth: the expression never fires'],
    [['@never'], 'the expression: "@never" must be one of @yearly'],
    [['* * * * *', '--timezone', 'Mars/Phobos'], '--timezone: "Mars/Phobos" is not the IANA name'],
    [['* * * * *', '--from', 'noon'], '--from: "noon" is not a date and time such as'],
    [
      ['* * * * *', '--from', '2026-02-30T00:00Z'],
      '--from: "2026-02-30T00:00Z" is not a date and time',
    ],
    [['* * * * *', '--limit', 'many'], '--limit: "many" is not a whole number from 1 to 10000'],
    [['* * * * *', '--limit', '0'], '--limit: 0 is not a whole number'],
    [['* * * * *', '--dst-gap', 'jump'], 'Allowed choices are shift, skip'],
    [[], "missing required argument 'expr'"],
    [['0', '2', '*', '*', '*'], "too many arguments for 'preview'"],
    [['* * * * *', '--nope'], "unknown option '--nope'"],
    [['* * * * *', '--stdin'], '--stdin takes no expression'],
  ])('%j is a mistake', async (args, message) => {
    const { code, out, err } = await run(args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(message);
  });
});

describe('schedules preview --stdin', () => {
  const ask = async (lines: readonly unknown[]) => {
    const input = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    const { code, out } = await run(['--stdin'], { input: input.join('\n') });
    expect(code).toBe(0);
    return out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  };

  const nightly = { expr: '30 1 * * *', timezone: 'America/New_York', from: '2025-11-01T12:00Z' };

  it('answers each line with one line', async () => {
    const answers = await ask([
      { ...nightly, limit: 1 },
      { ...nightly, limit: 1, dstOverlap: 'last' },
      { ...nightly, limit: 9, dstOverlap: 'both', until: '2025-11-03T00:00Z' },
      {
        expr: '30 2 * * *',
        timezone: 'America/New_York',
        from: '2025-03-09T00:00Z',
        limit: 1,
        dstGap: 'skip',
      },
      { ...nightly, limit: 1, dstOverlap: null },
    ]);
    expect(answers).toEqual([
      { next: ['2025-11-02T05:30:00.000Z'] },
      { next: ['2025-11-02T06:30:00.000Z'] },
      { next: ['2025-11-02T05:30:00.000Z', '2025-11-02T06:30:00.000Z'] },
      { next: ['2025-03-10T06:30:00.000Z'] },
      { next: ['2025-11-02T05:30:00.000Z'] },
    ]);
  });

  it('TRG-06 names the field at fault and goes on', async () => {
    const answers = await ask([
      { ...nightly, expr: '30 25 * * *' },
      { ...nightly, expr: '* * * *' },
      { ...nightly, expr: 5 },
      { ...nightly, expr: ['30 1 * * *'] },
      { ...nightly, timezone: 'Mars/Phobos' },
      { ...nightly, timezone: 7 },
      { ...nightly, from: 'noon' },
      { ...nightly, until: 5 },
      { ...nightly, limit: 1.5 },
      { ...nightly, limit: 10_001 },
      { ...nightly, dstGap: 'jump' },
      { ...nightly, dstOverlap: 'toString' },
      'no JSON',
      '[1]',
      'null',
      `"${'x'.repeat(100_000)}"`,
      { ...nightly, limit: 1 },
    ]);
    const fields = answers.map((answer) => (answer as { error?: { field: string } }).error?.field);
    expect(fields).toEqual([
      'expr.hour',
      'expr',
      'expr',
      'expr',
      'timezone',
      'timezone',
      'from',
      'until',
      'limit',
      'limit',
      'dstGap',
      'dstOverlap',
      'line',
      'line',
      'line',
      'line',
      undefined,
    ]);
    expect(answers[0]).toEqual({
      error: {
        code: 'invalid',
        field: 'expr.hour',
        position: 4,
        message: '"25" is not a number from 0 to 23',
      },
    });
    expect(answers.at(-1)).toEqual({ next: ['2025-11-02T05:30:00.000Z'] });
  });

  it('reads lines however they are cut, and forgets one that never ends', async () => {
    const line = Buffer.from(`${JSON.stringify({ ...nightly, timezone: 'Ünknown', limit: 1 })}\n`);
    const pieces = Array.from(line, (byte) => Uint8Array.of(byte));
    const endless = Array.from({ length: 5 }, () => Buffer.alloc(40_000, 'x'));
    const good = Buffer.from(`\n${JSON.stringify({ ...nightly, limit: 1 })}`);
    const { out } = await run(['--stdin'], { inputChunks: [...pieces, ...endless, good] });
    const answers = out
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as { error?: { field: string; message: string } });
    expect(answers).toHaveLength(3);
    expect(answers[0]?.error?.message).toContain('"Ünknown"');
    expect(answers[1]?.error).toMatchObject({ field: 'line' });
    expect(answers[2]).toEqual({ next: ['2025-11-02T05:30:00.000Z'] });
  });
});
