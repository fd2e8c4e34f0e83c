import { afterEach, expect, it, vi } from 'vitest';
import { processTerminal } from './terminal.ts';

afterEach(() => vi.restoreAllMocks());

it('escapes what it prints for people, and nothing that is raw', () => {
  const written: string[] = [];
  const keep = (text: unknown) => written.push(String(text)) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
  const terminal = processTerminal('signalbox');
  const text = 'a\u001b[2J\u202e\r';
  for (const print of [terminal.line, terminal.write, terminal.note, terminal.raw]) print(text);
  const safe = 'a\\x1b[2J\\u202e\\x0d';
  expect(written).toEqual([`${safe}\n`, safe, `${safe}\n`, text]);
});
