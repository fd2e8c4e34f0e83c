import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeProgram } from '../../packages/cli/src/program.ts';
import { fakeApp } from '../../packages/cli/src/testing/fake-app.ts';
import { ROUTES } from '../../packages/node/src/api/routes.ts';
import { BLOCKS, PAGES, pageText, ROOT } from './blocks.ts';
import { type ShellCommand, shellCommands } from './shell-commands.ts';

/** Programs of the system that pages call; another word here is a typing error. */
const SYSTEM = new Set(
  'cd cp curl cut date echo export install mkdir od openssl pg_dump pg_restore printf psql sqlite3 systemctl systemd-analyze tr useradd'.split(
    ' ',
  ),
);
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
/** Commands of npm itself, which need no script. */
const NPM = new Set(['init', 'install', 'pkg', 'test', 'start']);

type Command = ReturnType<typeof makeProgram>;

/** Everything that a command line is checked for before its command runs. */
async function parseSignalbox(words: readonly string[]): Promise<void> {
  const app = fakeApp({});
  const program = makeProgram(app, { exit: 'ok' });
  const calm = (command: Command | Command['commands'][number]): void => {
    if (command.commands.length === 0) command.action(() => {});
    for (const each of command.commands) calm(each);
  };
  calm(program);
  await program.parseAsync([...words], { from: 'user' });
}

function checkNpm([name = '', ...words]: readonly string[]): void {
  if (name !== 'run') return expect(NPM).toContain(name);
  const [script = '', ...more] = words;
  expect(Object.keys(manifest.scripts)).toContain(script);
  const source = sourceOf(script);
  for (const option of more.filter((word) => /^--\w/.test(word))) {
    // Declared to `parseArgs`, or compared with what was typed.
    const name = option.slice('--'.length);
    const isKnown = new RegExp(
      `--${name}\\b|['"]?${name}['"]?: \\{ type:|\\b${name}: (flag|option)`,
    );
    expect([option, isKnown.test(source)]).toEqual([option, true]);
  }
}

/** Everything beside the program behind a script: its options are in there. */
function sourceOf(script: string): string {
  const runner = readFileSync(join(ROOT, 'tools/run.mjs'), 'utf8');
  const entry = new RegExp(`['\\s]${script}'?: \\[?'([^']+)'`).exec(runner)?.[1] ?? '';
  expect(entry).toMatch(/^\w/);
  const folder = join(ROOT, dirname(entry));
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

function checkAddress(words: readonly string[]): void {
  const path = words.map((word) => /\/api\/v1(\/[^?]*)/.exec(word)?.[1]).find(Boolean) ?? '';
  const patterns = ROUTES.map(({ url }) => new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`));
  expect(patterns.filter((pattern) => pattern.test(path))).not.toEqual([]);
}

/** What looks like JSON is JSON. */
function checkJson(word: string): void {
  const text = /^(?:\w+=)?([[{].*)$/s.exec(word)?.[1];
  if (text !== undefined) expect(() => JSON.parse(text), text).not.toThrow();
}

function checkFiles(words: readonly string[]): void {
  for (const word of words) {
    if (word.startsWith('examples/'))
      expect([word, existsSync(join(ROOT, word))]).toEqual([word, true]);
  }
}

async function check({ words, variables }: ShellCommand): Promise<void> {
  for (const word of [...variables, ...words]) checkJson(word);
  checkFiles(words);
  const [program = '', ...rest] = words[0] === 'npx' ? words.slice(1) : words;
  if (program === 'signalbox' || program === './signalbox') return parseSignalbox(rest);
  if (program === 'npm') return checkNpm(rest);
  if (program === 'curl') checkAddress(rest);
  if (program !== '') expect([...SYSTEM]).toContain(program);
}

/** A sentence may name a command without what it needs. */
function unlessIncomplete(error: unknown): void {
  const codes = ['missingArgument', 'missingMandatoryOptionValue', 'optionMissingArgument'];
  const { code = '' } = error as { code?: string };
  const isIncomplete = codes.includes(code.replace('commander.', ''));
  if (!isIncomplete) throw error;
}

const samples = BLOCKS.filter(({ language, file }) => language === 'sh' && file === '');
/** In a line of text: a whole command, without an ellipsis for what may stand there. */
const inline = PAGES.flatMap((page) =>
  [...pageText(page).matchAll(/(?<!`)`((?:npx |\.\/)?signalbox [a-z][^`\n…]*)`(?!`)/g)].map(
    ([, text = '']) => ({ page, text }),
  ),
);

describe('shell samples of the pages', () => {
  it('are found', () => {
    expect(samples.length).toBeGreaterThan(30);
    expect(inline.length).toBeGreaterThan(30);
  });

  it.each(samples)('$page line $line can be typed', async ({ text }) => {
    for (const command of shellCommands(text)) await check(command);
  });

  it.each(inline)('$page: $text is a command with these options', async ({ text }) => {
    for (const command of shellCommands(text)) await check(command).catch(unlessIncomplete);
  });

  it.each([
    ['an option that is not there', 'signalbox submit hello --wiat'],
    ['a command that is not there', 'signalbox sumbit hello'],
    ['a word too few', 'signalbox schedules create nightly --cron "0 2 * * *"'],
    ['JSON that is none', `signalbox submit count '{"to":3'`],
    ['a script that is not there', 'npm run simulate'],
    ['an option that no script has', 'npm run sim -- --sedes 3'],
    ['an address that is not there', 'curl http://127.0.0.1:7070/api/v1/rusn'],
    ['an example that is not there', 'signalbox apply -f examples/jobs/absent.yaml'],
    ['a program that is mistyped', 'sqlte3 file'],
    ['an open quote', `signalbox submit hello 'Ada`],
  ])('refuses %s', async (_what, text) => {
    const checked = async () => {
      for (const command of shellCommands(text)) await check(command);
    };
    await expect(checked()).rejects.toThrow();
  });
});
