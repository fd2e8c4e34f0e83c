import { readdirSync, readFileSync } from 'node:fs';
import { LOG_EVENTS } from '@signalbox/node/log';
import { SETTINGS } from '@signalbox/node/settings';
import { ERROR_STATUS } from '@signalbox/protocol';
import { RunHandle, Signalbox } from 'signalbox';
import { makeProgram } from '../../packages/cli/src/program.ts';
import { fakeApp } from '../../packages/cli/src/testing/fake-app.ts';
import { openApiDocument } from '../../packages/node/src/api/openapi-document.ts';
import { ROUTES } from '../../packages/node/src/api/routes.ts';

type Command = ReturnType<typeof makeProgram>;

export interface PublicName {
  readonly name: string;
  /** Where a user meets it. */
  readonly place: string;
}

/** Every name that a user types or reads: what may not change without a line in the changelog. */
export function publicNames(): PublicName[] {
  return [
    ...named('export of the SDK', [...exportsOf('index'), ...exportsOf('testing/index')]),
    ...named('option of the SDK', optionNames()),
    ...named('method of the SDK', methodNames()),
    ...named('error code', Object.keys(ERROR_STATUS)),
    ...named('log event', Object.keys(LOG_EVENTS)),
    ...named('metric', metricNames()),
    ...named('setting', Object.keys(SETTINGS)),
    ...named('HTTP API', openApiNames()),
    ...commandNames(makeProgram(fakeApp({}), { exit: 'ok' })),
  ];
}

/** `listRunsByKey`, `list-runs`, `LIST_RUNS`: each is made of the words of its parts. */
export function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '' && !/^\d+$/.test(word));
}

function named(place: string, names: readonly string[]): PublicName[] {
  return [...new Set(names)].map((name) => ({ name, place }));
}

function exportsOf(file: string): string[] {
  const url = new URL(`../../packages/sdk/src/${file}.ts`, import.meta.url);
  const lists = readFileSync(url, 'utf8').matchAll(/^export (?:type )?\{([^}]+)\}/gm);
  return [...lists].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((each) => /(\w+)\s*$/.exec(each)?.[1] ?? '')
      .filter((name) => name !== ''),
  );
}

/** What the SDK takes as options, as the lists say by which it refuses unknown ones. */
function optionNames(): string[] {
  const folder = new URL('../../packages/sdk/src/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  return sources.flatMap((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    if (!text.includes('MembersOf<')) return [];
    // Lists of members have nothing else between their braces; other objects may have a flag.
    const lists = [...text.matchAll(/\{((?:\s*(?:\.\.\.\w+|\w+: true),?)+\s*)\}/g)];
    return lists.flatMap(([, list = '']) =>
      [...list.matchAll(/(\w+): true/g)].map(([, name = '']) => name),
    );
  });
}

function methodNames(): string[] {
  const prototypes = [Signalbox.prototype, RunHandle.prototype];
  return prototypes
    .flatMap((each) => Object.getOwnPropertyNames(each))
    .filter((name) => name !== 'constructor');
}

/** The page, because a test compares it with the code, and it lists labels without series too. */
function metricNames(): string[] {
  const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `signalbox_(\w+)` \| \w+ \| ([\w, ]*)\|/gm)];
  return rows.flatMap(([, name = '', labels = '']) => [name, ...labels.split(/[, ]+/)]);
}

/** Paths, parameters, names of operations, and fields of bodies, wherever in the document. */
function openApiNames(): string[] {
  const document = openApiDocument(ROUTES, '0.0.0') as Record<string, unknown>;
  const names = Object.keys(document['paths'] as object).map((path) =>
    path.replace(/^\/api\/v\d+/, ''),
  );
  collect(document, names);
  return names;
}

function collect(value: unknown, names: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) collect(each, names);
    return;
  }
  const fields = value as Record<string, unknown>;
  if (typeof fields['operationId'] === 'string') names.push(fields['operationId']);
  if (typeof fields['in'] === 'string' && typeof fields['name'] === 'string') {
    names.push(fields['name']);
  }
  for (const [key, each] of Object.entries(fields)) {
    if (key === 'properties' && typeof each === 'object' && each !== null) {
      names.push(...Object.keys(each));
    }
    // Samples show the names of users, not ours.
    if (key !== 'example' && key !== 'examples' && key !== 'default') collect(each, names);
  }
}

function commandNames(command: Command, above = ''): PublicName[] {
  const path = `${above} ${command.name()}`.trim();
  const options = command.options.map((option) => option.long ?? option.short ?? '');
  const args = command.registeredArguments.map((argument) => argument.name());
  return [
    ...named(`option of ${path}`, options),
    ...named(`argument of ${path}`, args),
    ...command.commands.flatMap((each) => [
      { name: each.name(), place: `command of ${path}` },
      ...commandNames(each, path),
    ]),
  ];
}
