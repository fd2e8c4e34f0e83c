import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles, root } from '../files.ts';
import { runNode } from '../process.ts';

/** Compiles sources of all packages to `outDir`, as `<package>/src/…`. */
export async function compile(params: {
  /** Relative to the repository: `packages/sdk/src/index.ts`. */
  readonly sources: readonly string[];
  readonly outDir: string;
}): Promise<void> {
  const { sources, outDir } = params;
  const config = join(outDir, 'tsconfig.json');
  const content = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: false,
      noEmitOnError: true,
      // Relative imports name `.ts` files, and `.js` files in what is emitted.
      allowImportingTsExtensions: false,
      allowJs: true,
      declaration: true,
      sourceMap: true,
      // The sources themselves are not packed: a map that only names them would lead nowhere.
      inlineSources: true,
      rootDir: join(root, 'packages'),
      outDir,
      typeRoots: [join(root, 'node_modules/@types')],
    },
    // All of them, not just the entries: the compiler emits some of what is imported by the name of a package
    // and takes the rest for installed already, and which is which differs from one time to the next.
    files: sources.map((file) => join(root, file)),
  };
  writeFileSync(config, JSON.stringify(content));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { code, output } = await runNode([tsc, '-p', config]);
  if (code !== 0) throw new Error(`the sources do not compile:\n${output}`);
  const emitted = new Set(listFiles('', outDir));
  const missing = sources.filter((source) => !emitted.has(emittedName(source)));
  if (missing.length > 0) throw new Error(`the compiler left out ${missing.join(', ')}`);
  for (const file of emitted) {
    if (/\.d\.m?ts$/.test(file)) renameImports(join(outDir, file));
  }
}

/** `packages/sdk/src/index.ts` becomes `sdk/src/index.js`. */
function emittedName(source: string): string {
  return source.replace(/^packages\//, '').replace(/\.ts$/, '.js');
}

/** The compiler renames imports in code but not in declarations. */
function renameImports(file: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll(RELATIVE_IMPORT, '$1.js$2'));
}

const RELATIVE_IMPORT = /((?:from |import\(|import )["']\.\.?\/[^"']+)\.ts(["'])/g;
