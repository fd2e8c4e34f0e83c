import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeProgram, runCommand } from '../program.ts';
import { CommandNode } from '../testing/command-node.ts';
import { fakeApp } from '../testing/fake-app.ts';
import { escapeControls, safeText } from './safe-text.ts';

/** ESC, BEL, CR, a C1 control, DEL, and marks that reorder text. */
const HOSTILE =
  '\u001b[2J\u001b]0;title\u0007\u001b[31m\r\u009b8m\u007f\u0008\u202e\u2066\u200f\u061c\u2028';
const STEERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be printed.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** Words and times that commands compare or compute with; every other text is free. */
const FIXED =
  /^(state|status|id|run|kind|code|outcome|next|nextTasks|role|stream|priority|cron|every|timezone|.*At|at|from|until|window|planned|version|url|type)$/;

function hostile(value: unknown, key: string): unknown {
  if (typeof value === 'string') return FIXED.test(key) ? value : `${value}${HOSTILE}`;
  if (Array.isArray(value)) return value.map((each) => hostile(each, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, hostile(each, name)]),
  );
}

let node: CommandNode;
let proxy: Server;
let url: string;
let run: string;
let task: string;

/** Lines and an output, as a worker would have sent them. */
function withData(path: string, text: string): string {
  if (/\/logs(\?|$)/.test(path)) {
    const at = '2030-01-01T00:00:00.000Z';
    const items = ['stdout', 'stderr', 'log'].map((stream, number) => ({
      ...{ task: 'send', attempt: 1, number, at, stream, text: 'line' },
    }));
    return JSON.stringify({ items });
  }
  if (!/\/runs\/[^/?]+(\?|$)/.test(path) || !text.startsWith('{"id"')) return text;
  return JSON.stringify({ ...JSON.parse(text), output: 'output' });
}

/** Forwards to a real node, and adds control characters to every free text of its responses. */
async function startProxy(target: string): Promise<void> {
  proxy = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = decodeURIComponent(request.url ?? '').replaceAll(HOSTILE, '');
    const body = Buffer.concat(chunks).toString();
    const answer = await fetch(`${target}${encodeURI(path)}`, {
      method: request.method ?? 'GET',
      headers: {
        authorization: request.headers.authorization ?? '',
        ...(body === '' ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === '' ? {} : { body }),
    });
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    const text = withData(path, await answer.text());
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'text/plain',
    });
    response.end(isJson ? JSON.stringify(hostile(JSON.parse(text), '')) : `${text}${HOSTILE}`);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

async function command(args: readonly string[], isTty = true) {
  const environment = { SIGNALBOX_URL: url, SIGNALBOX_KEY: node.key };
  const app = fakeApp({ isTty, environment, answer: true, hasColour: isTty });
  const code = await runCommand(app, args);
  return { code, ...app.texts };
}

beforeAll(async () => {
  node = await CommandNode.start();
  await startProxy(node.url);
  await node.define('mail', {
    description: `${HOSTILE}`,
    tasks: [
      { name: 'send', handler: 'mail' },
      { name: 'log', after: ['send'] },
    ],
  });
  await node.run(['schedules', 'create', 'nightly', 'mail', '--cron', '0 2 * * *']);
  await node.run(['triggers', 'create', 'pushed', 'mail', '--type', 'push']);
  await node.run(['keys', 'create', '--role', 'viewer', '--note', HOSTILE]);
  const { out } = await node.run(['submit', 'mail', '--json', '{}']);
  run = /[0-9a-f-]{36}/.exec(out)?.[0] ?? '';
  task = `${run}:send`;
});
afterAll(async () => {
  proxy.close();
  await node.stop();
});

const printing: (() => string[])[] = [
  () => ['runs'],
  () => ['runs', 'list'],
  () => ['runs', 'show', run],
  () => ['runs', 'show', run, '--graph'],
  () => ['runs', 'cancel', run, '--reason', HOSTILE],
  () => ['runs', 'show', run],
  () => ['runs', 'retry', run],
  () => ['logs', run],
  () => ['why', run],
  () => ['why', task],
  () => ['jobs'],
  () => ['jobs', 'show', 'mail'],
  () => ['jobs', 'graph', 'mail'],
  () => ['schedules'],
  () => ['schedules', 'show', 'nightly'],
  () => ['schedules', 'timeline', 'nightly'],
  () => ['schedules', 'pause', 'nightly'],
  () => ['schedules', 'trigger', 'nightly'],
  () => ['triggers'],
  () => ['triggers', 'show', 'pushed'],
  () => ['calendars'],
  () => ['workers'],
  () => ['tenants'],
  () => ['keys'],
  () => ['secrets'],
  () => ['doctor'],
  () => ['submit', 'mail'],
  () => ['tasks'],
  ...['pause', 'resume', 'cancel', 'retry', 'reevaluate'].map((name) => () => [name, run]),
  ...['approve', 'reject'].map((name) => () => [name, task]),
  () => ['signal', run, 'push'],
  () => ['events', 'send', '--type', 'push', '--source', 'here'],
  ...['drain', 'cordon', 'uncordon', 'evict'].map((name) => () => [name, `none${HOSTILE}`]),
  () => ['jobs', 'show', `none${HOSTILE}`],
  () => ['runs', 'show', `none${HOSTILE}`],
  () => [`none${HOSTILE}`],
  () => ['runs', `--none${HOSTILE}`],
];

describe('text from outside', () => {
  it.each(printing.map((each) => [each] as const))(
    'cannot steer the terminal: %s',
    async (args) => {
      const { out, err } = await command(args());
      const shown = `${out}${err}`;
      // The colours of the command are the only escape sequences.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
      const rest = shown.replaceAll(/\u001b\[(?:1|2|22|3[1-6]|39)m/g, '');
      expect(shown).not.toBe('');
      expect(shown).not.toContain(HOSTILE);
      expect(STEERS.exec(rest)?.index, JSON.stringify(rest)).toBeUndefined();
      expect(shown.includes('\u001b[31m\r')).toBe(false);
    },
  );

  it('is printed by every command', () => {
    const processes = ['dev', 'node', 'worker', 'completion', 'version', 'apply', 'diff'];
    const names = makeProgram(fakeApp({}), { exit: 'ok' }).commands.map((each) => each.name());
    const tried = new Set([...printing.map((each) => each()[0]), ...processes]);
    expect(names.filter((name) => !tried.has(name))).toEqual([]);
  });

  it('reaches every kind of list and view', async () => {
    let hostileCount = 0;
    for (const args of printing) {
      const { out, err } = await command(args());
      if (`${out}${err}`.includes('\\x1b[2J')) hostileCount += 1;
    }
    expect(hostileCount).toBeGreaterThan(printing.length / 2);
  });

  it('is unchanged in JSON', async () => {
    const { out } = await command(['jobs', 'show', 'mail', '--json']);
    expect(JSON.parse(out)).toMatchObject({ name: `mail${HOSTILE}` });
  });

  it('is escaped, except for the colours of the command itself', () => {
    expect(safeText(HOSTILE)).toBe(
      '\\x1b[2J\\x1b]0;title\\x07\\x1b[31m\\x0d\\x9b8m\\x7f\\x08\\u202e\\u2066\\u200f\\u061c\\u2028',
    );
    expect(safeText('a\tb\nç 漢 🎉')).toBe('a\tb\nç 漢 🎉');
    const { paint } = fakeApp({ hasColour: true }).terminal;
    expect(safeText(paint.red('\u001b[32mgreen'))).toBe('\u001b[31m\\x1b[32mgreen\u001b[39m');
    expect(escapeControls(escapeControls(HOSTILE))).toBe(escapeControls(HOSTILE));
  });
});
