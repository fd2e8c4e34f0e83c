import {
  BatchAnswer,
  CommandWork,
  ERROR_STATUS,
  type ErrorCode,
  RunView,
} from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import type { TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readYaml } from '../../packages/cli/src/definitions/yaml-file.ts';
import { errorSchema } from '../../packages/node/src/api/openapi-responses.ts';
import { ROUTES } from '../../packages/node/src/api/routes.ts';
import { type Answer, ApiWorld, ROOT_KEY } from '../../packages/node/src/api/testing/api-world.ts';
import { checkOf } from '../../packages/node/src/api/validate.ts';
import { readSettings } from '../../packages/node/src/settings/read-settings.ts';
import { BLOCKS, type Block } from './blocks.ts';

const of = (language: string) =>
  BLOCKS.filter((block) => block.language === language && block.file === '');

type Json = Readonly<Record<string, unknown>>;

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  expect((await world.ask('/jobs/hello', { method: 'PUT', body: {} })).status).toBe(201);
});
afterAll(() => world.stop());

describe('YAML samples of the pages', () => {
  it.each(of('yaml'))('$page line $line is taken', async (block) => {
    await checkYaml(block);
  });

  it.each([
    ['a field that is not there', 'kind: Job\nname: j\ntask: []\n'],
    ['a task that is not there', 'tasks:\n  - name: a\n    after: [b]\n'],
    ['a calendar with an odd day', 'blackouts: [13-45]\n'],
    ['something that no rule knows', 'surprise: 1\n'],
    ['something that is no YAML', 'a: [\n'],
  ])('%s is refused', async (_what, text) => {
    const block = { page: 'x.md', line: 1, language: 'yaml', file: '', text };
    await expect(checkYaml(block)).rejects.toThrow();
  });
});

async function checkYaml({ page, text }: Block): Promise<void> {
  if (/^kind: /m.test(text)) return checkDefinitions(text, page);
  const content = parse(text) as Json;
  if (content['tasks'] !== undefined) {
    return taken(await world.ask('/jobs/sample/check', { body: content }));
  }
  if (content['blackouts'] !== undefined) {
    return taken(await world.ask('/calendars/sample', { method: 'PUT', body: content }));
  }
  if (content['scrape_configs'] !== undefined) {
    const [{ metrics_path: path }] = content['scrape_configs'] as [{ metrics_path: string }];
    return expect(ROUTES.map(({ url }) => `/api/v1${url}`)).toContain(path);
  }
  expect(page, 'a rule for this YAML').toBe('docs/settings.md');
  const file = { path: 'signalbox.yaml', content };
  readSettings({ parts: ['node', 'worker'], flags: {}, environment: {}, file });
}

async function checkDefinitions(text: string, page: string): Promise<void> {
  for (const { kind, name, definition } of readYaml(text, page)) {
    const [collection, query] =
      kind === 'Job' ? ['jobs', ''] : [`${kind.toLowerCase()}s`, '?newJob=true'];
    taken(await world.ask(`/${collection}/${name}/check${query}`, { body: definition }));
  }
}

function taken(answer: Answer): void {
  expect(answer.status, answer.text).toBe(200);
}

/** What a program sends, and what is answered: each request of a page is made. */
describe('HTTP samples of the pages', () => {
  const samples = of('http');
  const requests = samples.filter(({ text }) => !text.startsWith('HTTP/'));

  it('come in pairs', () => {
    expect(requests.length).toBeGreaterThan(1);
    expect(samples).toHaveLength(requests.length * 2);
  });

  it.each(requests)('$page line $line is answered as the page shows', async (request) => {
    const shown = messageOf(samples[samples.indexOf(request) + 1] as Block);
    const { first, headers, body } = messageOf(request);
    const [method = '', path = ''] = first.split(' ');
    const { authorization: _, ...others } = headers;
    const answer = await world.ask(path.replace(/^\/api\/v1/, ''), {
      method,
      key: ROOT_KEY,
      headers: others,
      raw: body,
    });
    expect(`HTTP/1.1 ${answer.status}`, answer.text).toBe(/^HTTP\/1\.1 \d+/.exec(shown.first)?.[0]);
    expect(answer.headers.get('content-type')).toBe(shown.headers['content-type']);
    expect(Object.keys(answer.json())).toEqual(Object.keys(JSON.parse(shown.body) as Json));
  });
});

function messageOf({ text }: Block): {
  first: string;
  headers: Record<string, string>;
  body: string;
} {
  const [head = '', ...rest] = text.split('\n\n');
  const [first = '', ...lines] = head.split('\n');
  const headers = lines.map((line) => {
    const at = line.indexOf(': ');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 2)];
  });
  return { first, headers: Object.fromEntries(headers), body: rest.join('\n\n').trimEnd() };
}

const bodyOf = (method: string, url: string) => declared(routeOf(method, url).body);
const answerOf = (method: string, url: string, status: number) =>
  declared(routeOf(method, url).response[status]);

function declared(schema: TSchema | null | undefined): TSchema {
  if (schema == null) throw new Error('the route declares no such schema');
  return schema;
}

function routeOf(method: string, url: string): (typeof ROUTES)[number] {
  const found = ROUTES.find((route) => route.method === method && route.url === url);
  if (found === undefined) throw new Error(`there is no ${method} ${url}`);
  return found;
}

const any = Type.Optional(Type.Unknown());
const PARENT = Type.Object({
  state: Type.String(),
  output: any,
  total: any,
  results: any,
  failures: any,
});
const HTTP_RESULT = Type.Object({
  status: Type.Integer(),
  headers: Type.Object({ 'content-type': any }),
  body: Type.String(),
  bodyBytes: Type.Integer(),
});

/** What a JSON sample is, told by its members. A sample that is none of these fails. */
function schemaOf(value: Json): TSchema {
  const [item] = (value['items'] ?? []) as Json[];
  if ('error' in value) return errorSchema(Object.keys(ERROR_STATUS) as ErrorCode[]);
  if ('state' in value && 'tasks' in value) return RunView;
  if (item !== undefined) return 'id' in item ? BatchAnswer : bodyOf('POST', '/runs/batch');
  if ('filter' in value) return bodyOf('POST', '/runs/cancel');
  if ('checks' in value) return answerOf('GET', '/ready', 503);
  if ('events' in value) return answerOf('POST', '/events', 200);
  if ('command' in value) return Type.Object({ command: CommandWork });
  if ('bodyBytes' in value) return HTTP_RESULT;
  // The test of the installed packages compiles with these options.
  if ('compilerOptions' in value) return Type.Object({ compilerOptions: Type.Unknown() });
  const names = Object.keys(value);
  return Type.Object(Object.fromEntries(names.map((name) => [name, PARENT])));
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/** Members that a schema does not have: answers may grow, but a page shows what is there now. */
function strangers(schema: Shape, value: unknown, at = ''): string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? [] : value.flatMap((each) => strangers(items, each, `${at}[]`));
  }
  if (schema.properties === undefined || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = schema.properties?.[name];
    return inner === undefined ? [`${at}.${name}`] : strangers(inner, member, `${at}.${name}`);
  });
}

async function checkJson(text: string): Promise<void> {
  const value = JSON.parse(text) as Json;
  const schema = schemaOf(value);
  await checkOf(schema, 'body')(value);
  expect(strangers(schema as Shape, value)).toEqual([]);
}

describe('JSON samples of the pages', () => {
  it.each(of('json'))('$page line $line is what it stands for', async ({ text }) => {
    await checkJson(text);
  });

  it.each([
    ['broken JSON', '{"error":'],
    ['an unknown code', '{"error":{"code":"oops","message":"m","requestId":"r"}}'],
    ['a field that is not there', '{"items":[{"job":"hello","imput":1}]}'],
    ['a member that no answer has', '{"items":[{"id":"i","job":"j","created":true,"odd":1}]}'],
    ['something that no rule knows', '{"surprise":1}'],
  ])('%s is refused', async (_what, text) => {
    await expect(checkJson(text)).rejects.toThrow();
  });
});
