import { SETTINGS } from '@signalbox/node/settings';
import { JobDefinition, TaskDefinition } from '@signalbox/protocol';
import { describe, expect, it } from 'vitest';
import { makeProgram } from '../../packages/cli/src/program.ts';
import { fakeApp } from '../../packages/cli/src/testing/fake-app.ts';
import { openApiDocument } from '../../packages/node/src/api/openapi-document.ts';
import { ROUTES } from '../../packages/node/src/api/routes.ts';
import { JOB_MEMBERS } from '../../packages/sdk/src/job.ts';
import { WORK_MEMBERS } from '../../packages/sdk/src/work.ts';

/** Options that set no field of the API, each with its reason. An entry may be limited to one command. */
const NO_FIELD: Readonly<Record<string, string>> = {
  '--all': 'the value "all" of the field `tasks` of a retry; --task names them one by one',
  '--ascii': 'how the command draws',
  '--format': 'how the command draws',
  '--graph': 'what the command prints',
  '--timeline': 'what the command prints',
  '--timestamps': 'what the command prints, as in kubectl logs',
  '--json': 'what the command prints',
  '--follow': 'how long the command goes on, as in kubectl logs',
  '--watch': 'how long the command goes on, as in kubectl get',
  '--file': 'which files the command reads',
  '--stdin': 'where the command reads requests',
  '--prune': 'what the command does with definitions that no file names',
  '--yes': 'whether the command asks',
  '--config': 'which file of settings a process reads',
  '--weekdays-only': 'what the command makes of a file',
  '--forget':
    'the id in the list of `signalbox doctor`, which stands for the fields `kind` and `key`',
  '--forget-all': 'a request without these fields',
};

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

type Json = Readonly<Record<string, unknown>>;

/** The options that fields of requests and definitions would have; nested ones as `--expect-cron`. */
function optionsOfFields(): Set<string> {
  const found = new Set<string>();
  const document = openApiDocument(ROUTES, '0.0.0') as Json;
  const schemas = ((document['components'] as Json)['schemas'] ?? {}) as Json;
  const add = (schema: unknown, above: string, depth: number): void => {
    if (typeof schema !== 'object' || schema === null || depth > 8) return;
    const { $ref, properties, items, anyOf, oneOf, allOf } = schema as Json;
    if (typeof $ref === 'string') add(schemas[$ref.split('/').pop() ?? ''], above, depth + 1);
    for (const [name, each] of Object.entries((properties ?? {}) as Json)) {
      found.add(`--${above}${kebab(name)}`);
      // A definition inside of a request is what the command creates: its fields stand alone.
      const isWhole = name === 'definition' || name === 'filter';
      add(each, isWhole ? above : `${above}${kebab(name)}-`, depth + 1);
    }
    add(items, above, depth + 1);
    for (const list of [anyOf, oneOf, allOf]) {
      for (const each of (list ?? []) as unknown[]) add(each, above, depth + 1);
    }
  };
  for (const path of Object.values(document['paths'] as Json)) {
    for (const operation of Object.values(path as Json)) {
      const { parameters, requestBody } = operation as Json;
      for (const each of (parameters ?? []) as Json[])
        found.add(`--${kebab(String(each['name']))}`);
      const content = ((requestBody as Json | undefined)?.['content'] ?? {}) as Json;
      for (const each of Object.values(content)) add((each as Json)['schema'], '', 0);
    }
  }
  return found;
}

type Command = ReturnType<typeof makeProgram>;

function optionsOf(command: Command, above = ''): { option: string; path: string }[] {
  const path = `${above} ${command.name()}`.trim();
  return [
    ...command.options.map(({ long, short }) => ({ option: long ?? short ?? '', path })),
    ...command.commands.flatMap((each) => optionsOf(each, path)),
  ];
}

/** One line for each option whose name a user of the API would not guess. */
function problemsOf(options: readonly { option: string; path: string }[]): string[] {
  const known = new Set<string>([
    ...optionsOfFields(),
    ...Object.values(SETTINGS).map(({ flag }) => flag),
    ...Object.keys(NO_FIELD),
    '--version',
  ]);
  return options.flatMap(({ option, path }) =>
    known.has(option) ? [] : [`${path} ${option}: no field of the API has this name`],
  );
}

it('options of jobs and tasks in the SDK have the name of the field that they set', () => {
  const fields = new Set([
    ...Object.keys(TaskDefinition.properties),
    ...Object.keys(JobDefinition.properties),
  ]);
  expect(Object.keys(WORK_MEMBERS).filter((name) => !fields.has(name))).toEqual([]);
  expect(Object.keys(JOB_MEMBERS).filter((name) => !fields.has(name))).toEqual([]);
});

describe('options of the command', () => {
  const options = optionsOf(makeProgram(fakeApp({}), { exit: 'ok' }));

  it('have the name of the field that they set, in kebab-case', () => {
    expect(problemsOf(options)).toEqual([]);
  });

  it('with a name of their own are named', () => {
    const path = 'signalbox schedules create';
    expect(problemsOf([{ option: '--tz', path }])).toEqual([
      'signalbox schedules create --tz: no field of the API has this name',
    ]);
    expect(problemsOf([{ option: '--catch-up-max-age', path }])).toEqual([]);
    for (const option of ['--to', '--count']) {
      expect(problemsOf([{ option, path }])).toEqual([
        `${path} ${option}: no field of the API has this name`,
      ]);
    }
  });

  it('every exception is an option that exists', () => {
    const names = new Set(options.map(({ option }) => option));
    expect(Object.keys(NO_FIELD).filter((each) => !names.has(each))).toEqual([]);
  });
});
