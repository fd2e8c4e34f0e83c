import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { SETTINGS } from '@signalbox/node/settings';
import { describe, expect, it } from 'vitest';
import { runCommand } from './program.ts';
import { fakeApp } from './testing/fake-app.ts';

const DOCS = resolve(import.meta.dirname, '../../../docs');
const page = readFileSync(resolve(DOCS, 'deploy.md'), 'utf8');

/** `keys create --role worker` of `npx signalbox keys create --role worker`, here and there on the page. */
const commands = [...page.matchAll(/npx signalbox ([a-z][^`\n#]*)/g)].map(([, words = '']) =>
  words.trim().split(/\s+/),
);

describe('docs/deploy.md', () => {
  it('has commands', () => {
    expect(commands.length).toBeGreaterThan(8);
  });

  it.each(commands.map((words) => [words.join(' '), words] as const))(
    'signalbox %s is a command with these options',
    async (_line, words) => {
      const options = words.filter((word) => word.startsWith('--'));
      const first = words.findIndex((word) => !/^[a-z]+$/.test(word));
      const help = await helpOf(first < 0 ? words : words.slice(0, first));
      for (const option of options) expect(help).toContain(`${option} `);
    },
  );

  it('names environment variables of settings', () => {
    const known = new Set(Object.values(SETTINGS).map(({ environment }) => environment));
    const named = new Set([...page.matchAll(/\bSIGNALBOX_[A-Z_0-9]+/g)].map(([name]) => name));
    expect(named.size).toBeGreaterThan(8);
    expect([...named].filter((name) => !known.has(name))).toEqual([]);
  });

  it('names metrics that are listed', () => {
    const listed = readFileSync(resolve(DOCS, 'metrics.md'), 'utf8');
    const named = new Set([...page.matchAll(/\bsignalbox_[a-z_]+/g)].map(([name]) => name));
    expect(named.size).toBeGreaterThan(5);
    expect([...named].filter((name) => !listed.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it('names addresses of the API that are documented', () => {
    const api = readFileSync(resolve(DOCS, 'api.md'), 'utf8');
    const named = new Set([...page.matchAll(/\/api\/v1\/([a-z]+)/g)].map(([, name]) => name));
    for (const name of named) expect(api).toMatch(new RegExp(`/${name}\\b`));
  });
});

async function helpOf(names: readonly string[]): Promise<string> {
  const app = fakeApp({});
  const code = await runCommand(app, [...names, '--help']);
  expect(code, app.texts.err).toBe(0);
  // Of a subcommand that does not exist, the help of its parent is printed.
  expect(app.texts.out).toMatch(new RegExp(`^Usage: signalbox ${names.join(' ')}[ \\n]`));
  return app.texts.out;
}
