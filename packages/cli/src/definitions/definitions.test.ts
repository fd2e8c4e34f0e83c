import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { differences } from './differences.ts';
import { readDefinitions } from './read-definitions.ts';

describe('differences', () => {
  it('names each leaf that came, went or changed', () => {
    const before = { priority: 'P1', tasks: [{ retry: { maxAttempts: 3 }, zone: 'a' }] };
    const after = { tasks: [{ retry: { maxAttempts: 5 }, zone: 'a', critical: true }] };
    expect(differences(before, after)).toEqual([
      { path: 'priority', before: 'P1', after: undefined },
      { path: 'tasks[0].retry.maxAttempts', before: 3, after: 5 },
      { path: 'tasks[0].critical', before: undefined, after: true },
    ]);
  });

  it('tells a new part leaf by leaf, and an empty one as it is', () => {
    expect(differences({}, { tasks: [{ after: [], name: 'a' }] })).toEqual([
      { path: 'tasks[0].after', before: undefined, after: [] },
      { path: 'tasks[0].name', before: undefined, after: 'a' },
    ]);
  });

  it('does not care for the order of keys, but for that of lists and for null', () => {
    expect(differences({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual([]);
    expect(differences({ a: [1, 2] }, { a: [2, 1] })).toHaveLength(2);
    expect(differences({ a: null }, {})).toEqual([{ path: 'a', before: null, after: undefined }]);
    expect(differences({ a: {} }, { a: [] })).toEqual([{ path: 'a', before: {}, after: [] }]);
  });
});

describe('readDefinitions', () => {
  let folder = '';
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'signalbox-definitions-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['a.yaml', 'job: a\ntasks: [{ handler: x, timeout: .inf }]\n'],
    ['b.yaml', 'job: b\ntasks: [{ handler: x, retry: { backoff: [.nan] } }]\n'],
    ['c.json', '{ "job": "c", "tasks": [{ "handler": "x", "timeout": 1e999 }] }'],
    [
      'd.ts',
      `export const d = { name: "d", handlers: new Map(), definition: { expectedDuration: Infinity } };`,
    ],
  ])('refuses a number in %s that would be sent as null', (name, text) => {
    write(name, text);
    expect(() => readDefinitions(folder, ['.'])).toThrow(
      /(Infinity|NaN).* cannot be sent exactly; write it as a string/,
    );
  });

  it('reads YAML, JSON and modules of a folder and those below, in order', () => {
    write('b.yaml', 'job: b\npriority: P0\n---\njob: c\n');
    write('a.json', '[{ "job": "a", "tasks": [{ "handler": "x" }] }]');
    write(
      'd.ts',
      `export const d: object = { name: "d", definition: {}, handlers: new Map() };
       export const often = { kind: "Schedule", name: "often", job: "d", every: 60_000 };`,
    );
    write('d.test.ts', 'throw new Error("a test is not a definition");');
    write('notes.txt', 'not a definition');
    mkdirSync(join(folder, 'below'));
    write('below/e.yml', 'job: e');
    const found = readDefinitions(folder, ['.']);
    expect(found.map(({ kind, name, where }) => [kind, name, where()])).toEqual([
      ['Job', 'a', 'a.json:1'],
      ['Job', 'b', 'b.yaml:1'],
      ['Job', 'c', 'b.yaml:4'],
      ['Job', 'e', join('below', 'e.yml:1')],
      ['Job', 'd', 'd.ts'],
      ['Schedule', 'often', 'd.ts'],
    ]);
    expect(found[1]?.definition).toEqual({ priority: 'P0' });
    expect(found[1]?.where('priority')).toBe('b.yaml:2');
    expect(found.at(-1)?.definition).toEqual({ job: 'd', every: 60_000 });
  });

  it.each([
    ['a.yaml', 'name: x\njob: a\n  b: [', 'a.yaml:2: '],
    ['a.yaml', 'tasks: []', 'a.yaml:1: name: must be a string'],
    ['a.yaml', '# why\n- 7', 'a.yaml:2: a definition must be an object with "kind" and "name"'],
    ['a.yaml', 'name: a\nkind: Jop', 'a.yaml:2: kind: must be Job, Schedule or Trigger'],
    ['a.yaml', 'name: a\npriority: P0\npriority: P1', 'a.yaml:3: Map keys must be unique'],
    ['a.yaml', '', 'no definitions found in a.yaml'],
    ['a.yaml', 'job: a\n---\nname: a', 'the job a is defined twice, in a.yaml:1 and in a.yaml:3'],
    ['a.txt', 'job: a', 'a.txt must be a YAML, JSON'],
    ['a.ts', 'export const = 1', 'cannot load '],
    ['a.ts', 'throw new Error("broken")', ': broken'],
    ['a.mjs', 'await 1; export const a = 1;', 'must not use await outside of functions'],
  ])('refuses %s with %j in one line', (name, text, message) => {
    write(name, text);
    const read = () => readDefinitions(folder, [name]);
    expect(read).toThrow(message);
    expect(read).toThrow(/^[^\n]+$/);
  });

  it('names job, file and line of a setting that the SDK does not know', () => {
    const sdk = fileURLToPath(new URL('../../../sdk/src/index.ts', import.meta.url));
    const bad = `import { job } from ${JSON.stringify(sdk)};
export const x = job('x', { retries: 3 }, () => 1);`;
    write('bad.ts', bad);
    write('all.ts', 'export * from "./bad.ts";');
    for (const file of ['bad.ts', 'all.ts']) {
      const read = () => readDefinitions(folder, [file]);
      expect(read).toThrow(`cannot load ${join(folder, file)}: the job x has no option "retries"`);
      expect(read).toThrow(`(${join(folder, 'bad.ts')}:2)`);
    }
  });

  it('refuses a path that is not there', () => {
    expect(() => readDefinitions(folder, ['nope'])).toThrow('there is no ');
  });

  it('reads the examples of the repository', () => {
    const root = fileURLToPath(new URL('../../../../', import.meta.url));
    const names = readDefinitions(root, ['examples/jobs']).map(({ name }) => name);
    expect(names).toEqual([
      'hello',
      'nightly-report',
      'ping-example',
      'release',
      'release-weekly',
      'album',
      'thumbnail',
    ]);
  });
});
