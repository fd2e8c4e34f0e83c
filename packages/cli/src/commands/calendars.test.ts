import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandNode } from '../testing/command-node.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-calendars-'));
let node: CommandNode;

beforeAll(async () => {
  node = await CommandNode.start();
  await node.define('report');
});
afterAll(async () => {
  await node.stop();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) => node.run(args, { cwd: folder });

function write(name: string, ...dates: string[]): string {
  const events = dates.flatMap((date) => [
    'BEGIN:VEVENT',
    `DTSTART;VALUE=DATE:${date}`,
    'END:VEVENT',
  ]);
  writeFileSync(join(folder, name), ['BEGIN:VCALENDAR', ...events, 'END:VCALENDAR'].join('\r\n'));
  return name;
}

describe('signalbox calendars', () => {
  it('imports holidays that schedules keep, and schedules follow when it is imported anew', async () => {
    expect((await run('calendars')).err).toContain('no calendars');
    const year = new Date().getUTCFullYear() + 1;
    const file = write('a.ics', `${year}0101`);
    const imported = await run('calendars', 'import', file, '--name', 'holidays');
    expect(imported.code, imported.err).toBe(0);
    expect(imported.out).toContain(`${year}-01-01`);
    expect(imported.err).toContain('1 events');
    const flags = ['--cron', '0 9 1-2 1 *', '--calendar', 'holidays', '--json'];
    const made = await run('schedules', 'create', 'pay', 'report', ...flags);
    expect(made.code, made.err).toBe(0);
    const { next, definition } = JSON.parse(made.out);
    expect(next).toBe(`${year}-01-02T09:00:00.000Z`);
    expect(definition.calendar).toBe('holidays');
    const again = await run(
      'calendars',
      'import',
      write('b.ics', `${year}0102`),
      '--name',
      'holidays',
    );
    expect(again.err).toContain('saved anew: pay');
    const shown = JSON.parse((await run('schedules', 'show', 'pay', '--json')).out);
    expect(shown).toMatchObject({ next: `${year}-01-01T09:00:00.000Z`, version: 2 });
    const same = await run('calendars', 'import', 'b.ics', '--name', 'holidays');
    expect(same.err).not.toContain('saved anew');
    expect((await run('calendars')).out).toMatch(/^holidays\t2\t1\t/);
    expect((await run('calendars', 'delete', 'holidays')).code).toBe(0);
    expect((await run('calendars', 'show', 'holidays')).code).toBe(3);
    expect(JSON.parse((await run('schedules', 'show', 'pay', '--json')).out).next).toBe(shown.next);
  });

  it('refuses files that it cannot read, and says where', async () => {
    writeFileSync(
      join(folder, 'bad.ics'),
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260230\nEND:VEVENT',
    );
    const bad = await run('calendars', 'import', 'bad.ics', '--name', 'bad');
    expect(bad.code).toBe(2);
    expect(bad.err).toContain('line 3: DTSTART must be a date');
    expect((await run('calendars', 'import', 'none.ics', '--name', 'bad')).err).toContain('ENOENT');
    expect((await run('calendars', 'show', 'bad')).err).toContain(
      'to list them: signalbox calendars',
    );
  });
});
