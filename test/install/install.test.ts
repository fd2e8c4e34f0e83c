import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { nodeProblem } from '@signalbox/protocol/required-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../tools/files.ts';
import { pack } from '../../tools/pack/pack.ts';
import { fetchNode } from '../../tools/setup.mjs';
import { oldNodes } from '../../tools/testing/old-nodes.ts';
import { Project } from './project.ts';

const TYPES = '@types/node@24.19.2';
const project = new Project();
const nodes = new Map<number, string>();
let readmePrograms: string[] = [];

beforeAll(async () => {
  const tarballs = await pack({ out: join(project.folder, 'tarballs') });
  await project.install([...tarballs, TYPES]);
  const own = Number(process.versions.node.split('.')[0]);
  nodes.set(22, own === 22 ? process.execPath : await fetchNode('runtime-22'));
  nodes.set(24, own === 24 ? process.execPath : await fetchNode('runtime'));

  readmePrograms = [
    ...project.writeCodeOf('README.md'),
    ...project.writeCodeOf('packages/sdk/README.md'),
  ];
  project.copy('examples/etl/archive.ts');
  project.copy('examples/hello/hello-server.ts');
  const programs = join(root, 'test/install/programs');
  for (const file of readdirSync(programs)) project.copy(`test/install/programs/${file}`);
  project.write(
    'all-jobs.ts',
    "export { etl } from './etl.ts';\nexport { count } from './jobs.ts';\n",
  );
}, 600_000);

afterAll(() => project.remove());

const nodeOf = (major: number): string => nodes.get(major) ?? '';

describe('the installed packages', () => {
  const folders = ['signalbox', ...'cli engine graph node protocol store worker'.split(' ')].map(
    (name) => (name === 'signalbox' ? name : `@signalbox/${name}`),
  );
  const filesOf = (name: string) => {
    const folder = join(project.folder, 'node_modules', name);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      version: string;
      private?: boolean;
      engines: { node: string };
      exports: Record<string, string | { types: string; default: string }>;
    };
    return { files: files.filter((file) => !file.startsWith('node_modules')), manifest };
  };

  it.each(folders)('%s holds compiled code, declarations and maps, and no tests', (name) => {
    const { files, manifest } = filesOf(name);
    expect(manifest.version).toBe('0.1.0');
    expect(manifest.private).toBeUndefined();
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    const targets = Object.values(manifest.exports).flatMap((target) =>
      typeof target === 'string' ? [target] : [target.types, target.default],
    );
    for (const target of targets) expect(files).toContain(target.slice('./'.length));
    const code = files.filter((file) => /\.m?js$/.test(file));
    for (const file of code) expect(files).toContain(`${file}.map`);
    expect(files.filter((file) => /\.test\.|^src/.test(file))).toEqual([]);
    const helpers = files.filter((file) => /\btesting\//.test(file));
    // Of the SDK it is an entry: tests of users under virtual time.
    if (name !== 'signalbox') expect(helpers).toEqual([]);
  });

  it('are those of the tarballs, not others of the same name from the registry', () => {
    const ours = Object.entries(readLock().packages).filter(([path]) =>
      /node_modules\/(@signalbox\/|signalbox$)/.test(path),
    );
    expect(ours.map(([path]) => path).sort()).toEqual(
      folders.map((name) => `node_modules/${name}`).sort(),
    );
    for (const [, { resolved }] of ours) expect(resolved).toMatch(/^file:tarballs\//);
  });

  it('need a Node.js that is new enough for everything they depend on', () => {
    const least = (range: string): number => {
      const [, major = 0, minor = 0] = /^>= ?(\d+)(?:\.(\d+))?[.\d]*$/.exec(range) ?? [];
      return Number(major) * 1_000 + Number(minor);
    };
    const promised = least(filesOf('signalbox').manifest.engines.node);
    expect(promised).toBeGreaterThan(22_000);
    const stricter = Object.entries(readLock().packages).filter(
      ([, { engines }]) => least(engines?.node ?? '') > promised,
    );
    expect(stricter).toEqual([]);
  });
});

describe('the programs of the READMEs', () => {
  const settings = {
    target: 'es2022',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    // The declarations of the packages are checked as well.
    skipLibCheck: false,
    types: ['node'],
    noEmit: true,
    allowImportingTsExtensions: true,
  };

  it.each([
    { module: 'nodenext', moduleResolution: 'nodenext' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ])(
    'type-check with $moduleResolution',
    async (resolution) => {
      const compilerOptions = { ...settings, ...resolution };
      project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      const { code, out } = await project.run({ node: process.execPath, args: [tsc, '-p', '.'] });
      expect({ code, out }).toEqual({ code: 0, out: '' });
    },
    240_000,
  );

  it('are all tried', () => {
    expect(readmePrograms).toEqual(['jobs.ts', 'hello.ts', 'etl.ts', 'greet.ts', 'nap.ts']);
  });
});

describe('on a Node.js that is too old', () => {
  it.each(['signalbox', 'signalbox/testing'])('%s says which one it needs', async (entry) => {
    // Where none is installed there is nothing to spawn; the rule has a test of its own.
    for (const { node, version } of await oldNodes()) {
      project.write('entry.mjs', `await import('${entry}');\n`);
      const { code, err } = await project.run({ node, args: ['entry.mjs'] });
      expect(code).not.toBe(0);
      expect(err).toContain(`Error: ${nodeProblem(version)}: run this program, or the test runner`);
      expect(err).not.toContain('SyntaxError');
    }
  });
});

describe.each([22, 24])('on Node.js %i', (major) => {
  it.each([
    ['hello.ts', 'hello, world\n'],
    ['greet.ts', 'hello, world\n'],
    ['nap.ts', 'rested\n'],
    ['loaded-by-path.ts', '[2,4,"skipped"]\n'],
  ])(
    '%s runs',
    async (file, printed) => {
      // Each version begins with a database of its own.
      for (const each of readdirSync(project.folder).filter((name) => name.includes('.db'))) {
        rmSync(join(project.folder, each));
      }
      const { code, out, err } = await project.run({ node: nodeOf(major), args: [file] });
      expect({ code, out }, err).toEqual({ code: 0, out: printed });
    },
    120_000,
  );

  it('U082 npx signalbox dev starts, runs a first job within a minute, runs jobs of the READMEs and stops', async () => {
    const node = nodeOf(major);
    const npx = (...args: string[]) =>
      project.run({ node, npx: true, args: ['signalbox', ...args] });
    const startedAt = performance.now();
    const dev = project.start({
      node,
      npx: true,
      args: ['signalbox', 'dev', '--port', '0', '--jobs', 'all-jobs.ts'],
    });
    const [, url = ''] = await dev.printed(/SIGNALBOX_URL=(\S+)/);
    await dev.printed(/first run of hello: SUCCEEDED/);
    const key = readFileSync(join(project.folder, '.signalbox', 'key'), 'utf8').trim();
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    expect(await npx('version')).toMatchObject({
      out: expect.stringContaining(`(Node.js ${major}.`),
    });
    const submitted = await npx('submit', 'count', '{"to":3}', '--wait');
    expect(submitted).toMatchObject({ code: 0, out: 'counted to 3\n' });
    const loaded = await npx('submit', 'etl', '{"day":"2026-01-01"}', '--wait');
    expect(loaded).toMatchObject({ code: 0, out: '1000\n' });

    const client = await project.run({
      node,
      args: ['--import', './record-modules.mjs', 'hello-server.ts'],
      env: { SIGNALBOX_URL: url, SIGNALBOX_KEY: key },
    });
    expect(client).toMatchObject({ code: 0, out: 'hello, world\n' });
    expect(packagesIn(client.err)).toEqual([
      '@signalbox/protocol',
      '@signalbox/worker',
      'ipaddr.js',
      'signalbox',
      'undici',
    ]);

    const stopped = await dev.interrupt();
    expect(stopped.out + stopped.err).toContain(
      'stopped; the next start resumes the remaining work',
    );
    expect(existsSync(join(project.folder, '.signalbox/dev.json'))).toBe(false);
    rmSync(join(project.folder, '.signalbox'), { recursive: true });
  }, 240_000);
});

/** The packages whose modules a program has loaded, by what `record-modules.mjs` printed. */
function packagesIn(printed: string): string[] {
  const [, list = '[]'] = /^modules (.*)$/m.exec(printed) ?? [];
  const names = (JSON.parse(list) as string[]).flatMap((url) => {
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
    return name === undefined ? [] : [name];
  });
  return [...new Set(names)].sort();
}

function readLock() {
  const file = join(project.folder, 'node_modules/.package-lock.json');
  return JSON.parse(readFileSync(file, 'utf8')) as {
    packages: Record<string, { resolved?: string; engines?: { node?: string } }>;
  };
}
