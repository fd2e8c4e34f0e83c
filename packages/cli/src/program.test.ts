import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { makeProgram, runCommand } from './program.ts';
import { fakeApp } from './testing/fake-app.ts';

const WORDS =
  'dev node worker apply diff submit runs tasks logs why cancel retry workers drain cordon tenants keys schedules triggers events version completion jobs';

async function run(args: string[], params: Parameters<typeof fakeApp>[0] = {}) {
  const app = fakeApp(params);
  const code = await runCommand(app, args);
  return { code, out: app.out.join('\n'), err: app.notes.join('\n') };
}

describe('the command', () => {
  it('knows every word, each with a summary and with help', async () => {
    const program = makeProgram(fakeApp({}), { exit: 'ok' });
    for (const word of WORDS.split(' ')) {
      const command = program.commands.find((each) => each.name() === word);
      expect(command?.summary(), word).toMatch(/^[a-z].+[^.]$/);
      expect((await run([word, '--help'])).code, word).toBe(0);
    }
  });

  it.each([
    [['nope'], "unknown command 'nope'"],
    [['submit'], "missing required argument 'job'"],
    [['submit', 'a', '--nope'], "unknown option '--nope'"],
    [['runs', '--limit', 'many'], 'Use a whole number from 1 to 100000.'],
    [['keys', 'create', '--role', 'king'], 'Allowed choices are viewer, submitter'],
    [['apply'], "required option '-f, --file <path...>' not specified"],
    [['node', '--port', 'x'], 'setting port from --port must be a whole number'],
    [['node', '--config', 'nope.yaml'], 'cannot read the settings file nope.yaml'],
    [['runs', '--url', 'ftp://x', '--key', 'k'], '"ftp://x" is not an address such as http://'],
    [
      ['submit', 'a', '{"a":', '--url', 'http://127.0.0.1:1', '--key', 'k'],
      'the input is not valid JSON',
    ],
    [
      ['submit', 'a', '--delay', '5', '--url', 'http://127.0.0.1:1', '--key', 'k'],
      '--delay "5" is not',
    ],
    [
      ['submit', 'a', '--run-at', 'soon', '--url', 'http://127.0.0.1:1', '--key', 'k'],
      '--run-at "soon" is not a time',
    ],
  ])('%j is a mistake: exit code 2 and one line, no stack', async (args, message) => {
    const { code, out, err } = await run(args as string[]);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(out + err).not.toContain('    at ');
  });

  it('shows the defaults that a command has of its own', async () => {
    const help = async (word: string) => (await run([word, '--help'])).out.replace(/\s+/g, ' ');
    expect(await help('dev')).toContain('(SIGNALBOX_LOG_LEVEL, default warn)');
    expect(await help('dev')).toContain('(SIGNALBOX_LOG_FORMAT, default text)');
    expect(await help('node')).toContain('(SIGNALBOX_LOG_FORMAT, default json)');
  });

  it('says where no node answers: exit code 5', async () => {
    const { code, err } = await run(['runs', '--url', 'http://127.0.0.1:1', '--key', 'k']);
    expect(code).toBe(5);
    expect(err).toContain('no node responds at http://127.0.0.1:1 (ECONNREFUSED)');
  });

  it.each(['bash', 'zsh', 'fish'])('completes in %s', async (shell) => {
    const { code, out } = await run(['completion', shell]);
    expect(code).toBe(0);
    for (const word of WORDS.split(' ')) expect(out).toContain(word);
  });

  it('completes commands and options in a real bash', async () => {
    const { out } = await run(['completion', 'bash']);
    const ask = (line: string) => {
      const words = line.split(' ');
      const quoted = words.map((word) => `'${word}'`).join(' ');
      const script = `${out}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _signalbox; echo "\${COMPREPLY[*]}"`;
      return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim();
    };
    expect(ask('signalbox su')).toBe('submit');
    expect(ask('signalbox runs s')).toBe('show');
    expect(ask('signalbox submit hello --wa')).toBe('--wait');
  });
});

describe('a mistyped command of a group', () => {
  it('is named, with the commands that exist', async () => {
    const app = fakeApp({});
    expect(await runCommand(app, ['schedules', 'creat', 'x'])).toBe(2);
    expect(app.texts.err).toContain('schedules has no command "creat"');
    expect(app.texts.err).toContain('commands of schedules: list, ');
  });
});
