import { describe, expect, it } from 'vitest';
import { makeLog } from './log.ts';

describe('makeLog', () => {
  it('writes one JSON document a line, or a line for people', () => {
    const lines: string[] = [];
    const write = (text: string) => void lines.push(text);
    makeLog({ level: 'info', format: 'json', write }).warn({ partition: 3 }, 'lease lost');
    makeLog({ level: 'info', format: 'text', write }).warn({ partition: 3 }, 'lease lost');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'lease lost', partition: 3 });
    expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} warn {2}lease lost partition=3\n$/);
  });

  it('OBS-09 says the level as a word, with the time and the ids that it was given', () => {
    const lines: string[] = [];
    const log = makeLog({ level: 'debug', format: 'json', write: (text) => void lines.push(text) });
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({ run: 'r1' }, 'm');
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.map(({ level }) => level)).toEqual(['DEBUG', 'INFO', 'WARN', 'ERROR']);
    for (const entry of entries) {
      expect(entry).toMatchObject({ run: 'r1', msg: 'm' });
      expect(Date.parse(String(entry['time']))).not.toBeNaN();
    }
  });

  it('shows the message of an error, and leaves out what is below the level', () => {
    const lines: string[] = [];
    const log = makeLog({ level: 'warn', format: 'text', write: (text) => void lines.push(text) });
    log.info('not shown');
    log.error({ err: new Error('disk full') }, 'cannot go on');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('error cannot go on error="disk full"');
  });
});
