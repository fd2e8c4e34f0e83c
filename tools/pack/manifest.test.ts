import { describe, expect, it } from 'vitest';
import { type Manifest, publishedEntries, publishedManifest } from './manifest.ts';

const manifest: Manifest = {
  name: '@signalbox/store',
  version: '1.2.3',
  description: 'The journal',
  license: 'MIT',
  type: 'module',
  engines: { node: '>=22' },
  bin: { store: './src/command.mjs' },
  exports: {
    '.': './src/index.ts',
    './memory': './src/memory/index.ts',
    './main': './src/main.mjs',
    './conformance': './src/conformance/index.ts',
  },
  dependencies: { pg: '8.0.0' },
};

describe('a packed package.json', () => {
  it('names compiled code and its declarations', () => {
    expect(publishedManifest(manifest)).toEqual({
      name: '@signalbox/store',
      version: '1.2.3',
      description: 'The journal',
      license: 'MIT',
      type: 'module',
      engines: { node: '>=22' },
      files: ['dist'],
      bin: { store: './dist/command.mjs' },
      exports: {
        '.': { types: './dist/index.d.ts', default: './dist/index.js' },
        './memory': { types: './dist/memory/index.d.ts', default: './dist/memory/index.js' },
        './main': { types: './dist/main.d.mts', default: './dist/main.mjs' },
        './package.json': './package.json',
      },
      dependencies: { pg: '8.0.0' },
    });
  });

  it('leaves out entries that only the tests of the repository use', () => {
    expect(publishedEntries(manifest).map(([key]) => key)).toEqual(['.', './memory', './main']);
  });

  it('is refused where an entry is no source file', () => {
    const exports = { '.': './lib/index.js' };
    expect(() => publishedManifest({ ...manifest, exports })).toThrow('./lib/index.js');
  });
});
