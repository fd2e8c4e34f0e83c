import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LOG_EVENTS, makeLog } from './log.ts';

const LEASE_LOST = { event: 'lease.lost', partition: 3 } as const;

describe('makeLog', () => {
  it('writes one JSON document a line, or a line for people', () => {
    const lines: string[] = [];
    const write = (text: string) => void lines.push(text);
    makeLog({ level: 'info', format: 'json', write }).warn(LEASE_LOST, 'lease lost');
    makeLog({ level: 'info', format: 'text', write }).warn(LEASE_LOST, 'lease lost');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'lease lost', ...LEASE_LOST });
    expect(lines[1]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} warn {2}lease lost event="lease.lost" partition=3\n$/,
    );
  });

  it('says the level as a word, with the time and the ids that it was given', () => {
    const lines: string[] = [];
    const log = makeLog({ level: 'debug', format: 'json', write: (text) => void lines.push(text) });
    const fields = { event: 'run.stuck', run: 'r1' } as const;
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](fields, 'm');
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.map(({ level }) => level)).toEqual(['DEBUG', 'INFO', 'WARN', 'ERROR']);
    for (const entry of entries) {
      expect(entry).toMatchObject({ ...fields, msg: 'm' });
      expect(Date.parse(String(entry['time']))).not.toBeNaN();
    }
  });

  it('shows the message of an error, and leaves out what is below the level', () => {
    const lines: string[] = [];
    const log = makeLog({ level: 'warn', format: 'text', write: (text) => void lines.push(text) });
    log.info({ event: 'worker.attached' }, 'not shown');
    log.error({ event: 'node.failed', err: new Error('disk full') }, 'cannot go on');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('error cannot go on event="node.failed" error="disk full"');
  });

  it('puts its own fields on every line', () => {
    const lines: string[] = [];
    const write = (text: string) => void lines.push(text);
    makeLog({ level: 'info', format: 'json', write, fields: { worker: 'w1' } }).warn(
      LEASE_LOST,
      '',
    );
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ worker: 'w1', event: 'lease.lost' });
  });

  it('does not compile with a misspelt event', () => {
    const log = makeLog({ level: 'silent', format: 'json' });
    // @ts-expect-error there is no such event
    log.warn({ event: 'lease.lots' }, 'lease lost');
    // @ts-expect-error a line needs an event
    log.warn({ partition: 3 }, 'lease lost');
    expect(Object.keys(LOG_EVENTS)).not.toContain('lease.lots');
  });
});

describe('docs/logs.md', () => {
  const page = readFileSync(new URL('../../../../docs/logs.md', import.meta.url), 'utf8');

  it('has one row for each event, as the table has it', () => {
    const rows = page.split('\n').filter((line) => /^\| `\w+\.\w+` \|/.test(line));
    const expected = Object.entries(LOG_EVENTS).map(([name, text]) => `| \`${name}\` | ${text} |`);
    expect(rows).toEqual(expected);
  });

  it('every name is a noun, a dot and what happened to it', () => {
    for (const name of Object.keys(LOG_EVENTS)) expect(name).toMatch(/^[a-z_]+\.[a-z_]+$/);
  });
});
