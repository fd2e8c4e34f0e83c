import { describe, expect, it } from 'vitest';
import { formatProblem } from '../problem.ts';
import { checkBoundaries } from './check.ts';
import type { RoomExceptions } from './rooms.ts';
import { readSourceTree } from './source-tree.ts';

const manifests: Record<string, string> = {
  'packages/engine/package.json': JSON.stringify({
    name: '@signalbox/engine',
    exports: { '.': './src/index.ts' },
  }),
  'packages/store/package.json': JSON.stringify({
    name: '@signalbox/store',
    exports: { '.': './src/index.ts', './memory': './src/memory/index.ts' },
    dependencies: { '@signalbox/engine': '0.0.0', pg: '1.0.0' },
  }),
  'packages/node/package.json': JSON.stringify({
    name: '@signalbox/node',
    exports: { '.': './src/index.ts', './loop': './src/loop/index.ts' },
    dependencies: { '@signalbox/engine': '0.0.0', '@signalbox/store': '0.0.0', ws: '1.0.0' },
  }),
};

const entries: Record<string, string> = {
  'packages/engine/src/index.ts': "export { a } from './model/a.ts';",
  'packages/engine/src/model/a.ts': 'export const a = 1;',
  'packages/store/src/index.ts': 'export const s = 1;',
  'packages/store/src/memory/index.ts': "import '@signalbox/engine'; export const m = 1;",
  'packages/store/src/postgres/pool.ts': "import 'pg';",
  'packages/node/src/index.ts':
    "import '@signalbox/engine'; import '@signalbox/store'; import 'ws'; export const n = 1;",
  'packages/node/src/loop/index.ts': 'export const l = 1;',
};

/** The problems of a sound little repository with these files added. */
function check(files: Record<string, string>, exceptions: RoomExceptions = {}): string[] {
  const tree = new Map(Object.entries({ ...manifests, ...entries, ...files }));
  return checkBoundaries(tree, exceptions).map(formatProblem);
}

const engine = (text: string): string[] => check({ 'packages/engine/src/model/x.ts': text });
const loop = (text: string): string[] => check({ 'packages/node/src/loop/x.ts': text });

describe('the little repository', () => {
  it('is sound', () => expect(check({})).toEqual([]));
});

describe('this repository', () => {
  it('is sound', () => {
    expect(checkBoundaries(readSourceTree()).map(formatProblem)).toEqual([]);
  });
});

describe('walls between packages', () => {
  const refused: [string, string, string][] = [
    ['packages/engine/src/x.ts', "import 'node:fs';", 'may not import node:fs'],
    ['packages/engine/src/x.ts', "import 'path';", 'may not import path'],
    ['packages/engine/src/x.ts', "import 'pg';", 'may not import pg'],
    ['packages/engine/src/x.ts', "import type { s } from '@signalbox/store';", 'packages/store'],
    ['packages/engine/src/x.ts', 'type S = import("@signalbox/store").S;', 'packages/store'],
    ['packages/engine/src/x.ts', 'export const f = (n: string) => import(n);', 'computed'],
    ['packages/store/src/store.ts', "import 'pg';", 'may not import pg'],
    ['packages/store/src/store.ts', "import './memory/index.ts';", 'store/src/memory'],
    ['packages/store/src/memory/x.ts', "import 'node:fs';", 'may not import node:fs'],
    ['packages/store/src/sqlite/x.ts', "import 'pg';", 'may not import pg'],
    ['packages/store/src/postgres/x.ts', "import '@signalbox/node';", 'packages/node'],
    ['packages/store/src/postgres/x.ts', "import '../../../engine/src/index.ts';", 'by name'],
    ['packages/store/src/postgres/x.ts', "import '@signalbox/engine/src/a.ts';", 'not exist'],
    ['packages/node/src/x.ts', "import 'left-pad';", 'not a dependency of @signalbox/node'],
    ['packages/node/src/x.ts', "import '../../../tools/files.ts';", 'does not exist'],
    ['packages/node/src/loop/x.ts', "import '@signalbox/store/memory';", 'store/src/memory'],
    ['packages/node/src/loop/x.ts', "import 'node:timers';", 'may not import node:timers'],
    ['packages/node/src/loop/x.ts', "import '../index.ts';", 'may not import packages/node'],
    ['sim/x.ts', "import '@signalbox/worker';", 'sim may not import @signalbox/worker'],
    ['sim/x.ts', "import 'pg';", 'sim may not import pg'],
    ['packages/extra/src/x.ts', 'export const x = 1;', 'no zone'],
  ];
  it.each(refused)('%s refuses %s', (file, text, message) => {
    expect(check({ [file]: text }).join('\n')).toContain(message);
  });

  const allowed: [string, string][] = [
    ['packages/store/src/memory/x.ts', "import '@signalbox/engine'; import '../index.ts';"],
    ['packages/store/src/postgres/x.ts', "import 'pg'; import 'node:fs';"],
    ['packages/node/src/x.ts', "import 'ws'; import './loop/index.ts'; import 'node:fs';"],
    ['packages/node/src/loop/x.ts', "import '@signalbox/engine'; import '@signalbox/store';"],
    [
      'sim/x.ts',
      "import '@signalbox/node/loop'; import '@signalbox/node'; import '@signalbox/store/memory';",
    ],
    ['packages/engine/src/x.test.ts', "import 'node:fs'; import 'fast-check';"],
    ['bench/x.ts', "import 'pg'; import '@signalbox/node';"],
  ];
  it.each(allowed)('%s allows %s', (file, text) => {
    expect(check({ [file]: text })).toEqual([]);
  });

  it('names a dependency that only tests import, or nobody', () => {
    const manifest = JSON.stringify({
      name: '@signalbox/worker',
      exports: { '.': './src/index.ts' },
      dependencies: { undici: '1.0.0', 'left-pad': '1.0.0' },
    });
    const files = {
      'packages/worker/package.json': manifest,
      'packages/worker/src/index.ts': "import 'undici/types';",
      'packages/worker/src/x.test.ts': "import 'left-pad';",
    };
    expect(check(files)).toEqual([
      'packages/worker/package.json:1: no file of the package imports its dependency left-pad',
    ]);
  });

  it('keeps test code out of the product', () => {
    const problems = check({
      'packages/engine/src/model/testing/build.ts': 'export const build = 1;',
      'packages/engine/src/model/x.ts': "import './testing/build.ts';",
    });
    expect(problems.join()).toContain('for tests and tools only');
  });
});

describe('stages of the engine', () => {
  const stages = {
    'packages/engine/src/ready/r.ts': 'export const r = 1;',
    'packages/engine/src/clockwork.ts': 'export const c = 1;',
    'packages/engine/src/facts.ts': 'export const f = 1;',
  };
  const place = (text: string): string[] =>
    check({ ...stages, 'packages/engine/src/place/p.ts': text });

  it('do not know each other', () => {
    expect(place("import '../ready/r.ts';").join()).toContain('stage place may not import ready');
  });
  it('know of the rest only what is shared', () => {
    expect(place("import '../clockwork.ts';").join()).toContain('may not import clockwork');
    expect(place("import '../facts.ts'; import '../model/a.ts';")).toEqual([]);
  });
  it('are not known to what they share', () => {
    const problems = check({
      ...stages,
      'packages/engine/src/model/x.ts': "import '../ready/r.ts';",
    });
    expect(problems.join()).toContain('model is shared by the stages');
  });
});

describe('rooms of a package', () => {
  const cycle = {
    'packages/node/src/api/a.ts': "import type { B } from '../feed/b.ts';",
    'packages/node/src/feed/b.ts': "import { c } from '../context.ts'; export type B = 1;",
    'packages/node/src/context.ts': "import type { A } from './api/a.ts'; export const c = 1;",
  };

  it('have no cycle, types included', () => {
    expect(check(cycle)).toEqual([
      'packages/node/src/context.ts:1: cycle of rooms: api → feed → context → api',
    ]);
  });
  it('may have the cycles that are listed, until they are broken', () => {
    expect(check(cycle, { 'packages/node': ['context → api'] })).toEqual([]);
    const broken = { ...cycle, 'packages/node/src/context.ts': 'export const c = 1;' };
    const message = 'the exception context → api is not needed any more';
    expect(check(broken, { 'packages/node': ['context → api'] }).join()).toContain(message);
    const oneWay = { ...cycle, 'packages/node/src/api/a.ts': 'export type A = 1;' };
    expect(check(oneWay, { 'packages/node': ['context → api'] }).join()).toContain(message);
  });
  it('have cycles only outside of tests', () => {
    const files = {
      'packages/node/src/api/a.test.ts': "import type { B } from '../feed/b.ts';",
      'packages/node/src/feed/b.ts': "import type { A } from '../api/a.ts'; export type B = 1;",
      'packages/node/src/api/a.ts': 'export type A = 1;',
    };
    expect(check(files)).toEqual([]);
  });
  it('import nothing above them where an order is given', () => {
    const files = {
      'packages/worker/src/link/link.ts': "import type { A } from '../attempt/attempts.ts';",
      'packages/worker/src/attempt/attempts.ts': 'export type A = 1;',
    };
    expect(check(files)).toEqual([
      'packages/worker/src/link/link.ts:1: link may not import attempt, which is above it in the order of rooms',
    ]);
    expect(check(files, { 'packages/worker': ['link → attempt'] })).toEqual([]);
  });
});

describe('cycles and barrels', () => {
  it('finds a cycle through three files, and lets types refer to each other', () => {
    const files = {
      'sim/a.ts': "import './b.ts';",
      'sim/b.ts': "import { c } from './c.ts';",
      'sim/c.ts': "import './a.ts'; export const c = 1;",
    };
    const types = { ...files, 'sim/b.ts': "import type { C } from './c.ts';" };
    expect(check(types)).toEqual([]);
    const problems = check(files);
    expect(problems).toEqual([
      'sim/c.ts:1: import cycle: sim/a.ts → sim/b.ts → sim/c.ts → sim/a.ts',
    ]);
  });
  it('refuses an index.ts that is no entry, and re-exports elsewhere', () => {
    expect(check({ 'sim/checkers/index.ts': '' }).join()).toContain('index.ts');
    const problems = engine("export * from './a.ts';");
    expect(problems.join()).toContain('only an entry of a package re-exports');
  });
});

describe('purity of the engine', () => {
  const refused = [
    'const t = Date.now();',
    'let d: Date;',
    'const t = performance.now();',
    'const r = Math.random();',
    'const { random } = Math;',
    'const r = Math["random"]();',
    'const c = crypto.randomUUID();',
    'setTimeout(() => {}, 1);',
    'setInterval(() => {}, 1);',
    'setImmediate(() => {});',
    'queueMicrotask(() => {});',
    'const e = process.env;',
    'console.log(1);',
    'const p = Promise.resolve();',
    'async function f() {}',
    'const f = async () => 1;',
    'fetch("x");',
    'const w = new WeakRef({});',
    'new FinalizationRegistry(() => {});',
    'new Intl.NumberFormat();',
    'const g = globalThis;',
    'const n = "a".localeCompare("b");',
    'const s = `${Date.now()}`;',
    'const o = { Date };',
  ];
  it.each(refused)('refuses %s', (text) => {
    expect(engine(text).join('\n')).toMatch(/packages\/engine\/src\/model\/x\.ts:1: .*here/);
  });

  const allowed = [
    '// Date.now() is not read here\n/* console */ const t = "Date.now()";',
    'const m = Math.floor(1.5);',
    'const o = { process: 1, Date: 2 }; const p = o.process + o.Date;',
    'interface A { readonly fetch: number; crypto(): void }',
    'const s = `setTimeout(${1})`;',
    'const r = /Date|process/;',
  ];
  it.each(allowed)('allows %s', (text) => expect(engine(text)).toEqual([]));

  it('says why', () => {
    expect(engine('\nDate.now();')).toEqual([
      'packages/engine/src/model/x.ts:2: Date is banned here: ' +
        'one stray clock ends reproducibility: take the time from the command',
    ]);
  });
  it('leaves tests alone', () => {
    expect(check({ 'packages/engine/src/model/x.test.ts': 'Date.now();' })).toEqual([]);
  });
});

describe('purity of the loop', () => {
  it.each(['Date.now();', 'setTimeout(() => {}, 1);', 'console.log(1);', 'Math.random();'])(
    'refuses %s',
    (text) => expect(loop(text)).toHaveLength(1),
  );
  it('allows promises', () => {
    expect(loop('export const f = async () => { await Promise.all([]); };')).toEqual([]);
  });
});
