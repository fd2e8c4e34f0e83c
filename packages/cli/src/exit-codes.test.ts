import { readFileSync } from 'node:fs';
import { ERROR_STATUS } from '@signalbox/protocol';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES, exitOf } from './exit-codes.ts';
import { makeProgram } from './program.ts';
import { fakeApp } from './testing/fake-app.ts';

const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');

describe('exit codes', () => {
  it('docs/cli.md has the table of the code', () => {
    const rows = page.split('\n').filter((line) => /^\| \d+ \|/.test(line));
    const expected = Object.values(EXIT_CODES).map(
      ({ code, meaning }) => `| ${code} | ${meaning} |`,
    );
    expect(rows).toEqual(expected);
  });

  it('no two mean the same number', () => {
    const codes = Object.values(EXIT_CODES).map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('every error code of the API has one, and none is a success or a failed run', () => {
    for (const code of Object.keys(ERROR_STATUS)) {
      expect(['ok', 'no']).not.toContain(exitOf(code));
    }
    expect(exitOf('not_found')).toBe('notFound');
    expect(exitOf('forbidden')).toBe('notAllowed');
    expect(exitOf('constructor')).toBe('internal');
  });
});

describe('docs/cli.md', () => {
  it('has every command', () => {
    const program = makeProgram(fakeApp({}), { exit: 'ok' });
    const listed = [...page.matchAll(/^\| `(\w+)/gm)].map(([, name]) => name);
    expect(new Set(listed)).toEqual(new Set(program.commands.map((command) => command.name())));
  });
});
