import { describe, expect, it } from 'vitest';
import { readSourceTree } from './source-tree.ts';
import { zones } from './zones.ts';

const SCHEDULER = ['packages/engine', 'packages/store', 'packages/node', 'packages/protocol'];
const USERS = ['packages/worker', 'packages/sdk', 'packages/cli', 'examples'];

/** What production code of the scheduler could run somebody else's code with. */
const WAYS: [string, RegExp][] = [
  ['imports the worker, the SDK or a job', /from '(?:@signalbox\/(?:worker|cli)|signalbox)['/]/],
  ['starts processes or threads', /node:(?:child_process|worker_threads|cluster|vm)\b/],
  ['evaluates text as code', /\bnew Function\b|(?<![.\w])eval\(/],
  ['imports a module that is not named in the source', /(?<![.\w])import\((?!\s*'[^']+'\s*\))/],
];

/** Production sources, without comments. */
function sources(): [string, string][] {
  return [...readSourceTree()]
    .filter(([file]) => SCHEDULER.some((dir) => file.startsWith(`${dir}/src/`)))
    .filter(([file]) => !/\.test\.ts$|\/testing\/|\/conformance\//.test(file))
    .map(([file, text]) => [file, text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')]);
}

describe('the scheduler', () => {
  it.each(WAYS)('SEC-05 never runs code of users: no source of it %s', (_what, way) => {
    const all = sources();
    expect(all.length).toBeGreaterThan(300);
    expect(all.filter(([, text]) => way.test(text)).map(([file]) => file)).toEqual([]);
  });

  it('SEC-05 requires modules late in three places, and only its own', () => {
    const late = sources().filter(([, text]) => text.includes('createRequire('));
    expect(late.map(([file]) => file)).toEqual([
      'packages/node/src/cel/conditions.ts',
      'packages/node/src/cel/window-input.ts',
      'packages/node/src/graph/graph-ports.ts',
    ]);
    for (const [, text] of late) {
      // A path beside the source, a package by its name, or a constant of such a path.
      const asked = [...text.matchAll(/\bload\(\s*([^)\s]+)/g)].map(([, what = '']) => what);
      expect(asked.length).toBeGreaterThan(0);
      for (const what of asked) expect(what).toMatch(/^(['`]\.|'typebox|PROGRAMS$)/);
    }
  });

  it('SEC-05 may not import what runs handlers: the boundaries name no such zone', () => {
    const own = zones.filter(({ path }) => SCHEDULER.some((dir) => path.startsWith(dir)));
    expect(own.length).toBeGreaterThanOrEqual(SCHEDULER.length);
    for (const { zones: imported } of own) {
      expect(imported.filter((path) => USERS.some((dir) => path.startsWith(dir)))).toEqual([]);
    }
  });

  it.each([
    ["import { Worker } from '@signalbox/worker';", 0],
    ["import { job } from 'signalbox';", 0],
    ["import { spawn } from 'node:child_process';", 1],
    ["import { runInNewContext } from 'node:vm';", 1],
    ['const f = new Function(text);', 2],
    ['eval(text);', 2],
    ['await import(path);', 3],
  ] as const)('SEC-05 %s would be found', (text, way) => {
    expect(WAYS[way]?.[1].test(text)).toBe(true);
  });
});
