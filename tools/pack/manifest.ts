/** A package.json of the repository, as far as packing looks at it. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly type: 'module';
  readonly engines: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Entries for the tests of this repository alone: they import the test runner. */
const NOT_PUBLISHED: ReadonlySet<string> = new Set(['@signalbox/store/conformance']);

/** The entries that are published, as source files: `./testing` and `./src/testing/index.ts`. */
export function publishedEntries({ name, exports }: Manifest): [key: string, source: string][] {
  return Object.entries(exports).filter(([key]) => !NOT_PUBLISHED.has(`${name}${key.slice(1)}`));
}

/**
 * The package.json of the tarball. In the repository `exports` names sources, which Node.js runs as they
 * are; it does not do so below `node_modules`, so the tarball holds and names what the compiler made of them.
 */
export function publishedManifest(manifest: Manifest): Readonly<Record<string, unknown>> {
  const { name, version, description, license, type, engines, dependencies } = manifest;
  const entries = publishedEntries(manifest).map(([key, source]) => [
    key,
    { types: compiled(source, 'types'), default: compiled(source, 'code') },
  ]);
  const bin = Object.entries(manifest.bin ?? {}).map(([command, source]) => [
    command,
    compiled(source, 'code'),
  ]);
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    files: ['dist'],
    ...(bin.length > 0 && { bin: Object.fromEntries(bin) }),
    exports: { ...Object.fromEntries(entries), './package.json': './package.json' },
    dependencies,
  };
}

/** `./src/index.ts` is compiled to `./dist/index.js` and `./dist/index.d.ts`, `.mjs` to `.mjs` and `.d.mts`. */
function compiled(source: string, what: 'code' | 'types'): string {
  const match = /^\.\/src\/(.+)\.(ts|mjs)$/.exec(source);
  if (match === null) throw new Error(`an entry is no source file below src: ${source}`);
  const [, path = '', extension] = match;
  if (extension === 'ts') return `./dist/${path}.${what === 'code' ? 'js' : 'd.ts'}`;
  return `./dist/${path}.${what === 'code' ? 'mjs' : 'd.mts'}`;
}
