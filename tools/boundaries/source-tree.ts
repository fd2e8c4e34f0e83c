// The sources as the checks see them: a map from path to text, so that a test
// can hand in a small tree of its own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles, root } from '../files.ts';

/** Paths relative to the repository, with `/`. */
export type SourceTree = ReadonlyMap<string, string>;

const isSource = (file: string): boolean =>
  /\.(ts|tsx|mjs)$/.test(file) || /^packages\/[^/]+\/package\.json$/.test(file);

export function readSourceTree(): SourceTree {
  const files = listFiles('').filter(isSource);
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

export interface PackageInfo {
  /** `packages/store` */
  readonly dir: string;
  readonly name: string;
  /** Import specifier to file: `@signalbox/store/memory` to `packages/store/src/memory/index.ts`. */
  readonly entries: ReadonlyMap<string, string>;
  readonly dependencies: ReadonlySet<string>;
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export function readPackages(tree: SourceTree): PackageInfo[] {
  const manifests = [...tree].filter(([file]) => file.endsWith('/package.json'));
  return manifests.map(([file, text]) => {
    const dir = file.slice(0, -'/package.json'.length);
    const manifest = JSON.parse(text) as Manifest;
    const entries = Object.entries(manifest.exports ?? {}).map(
      ([key, target]) => [`${manifest.name}${key.slice(1)}`, `${dir}${target.slice(1)}`] as const,
    );
    return {
      dir,
      name: manifest.name,
      entries: new Map(entries),
      dependencies: new Set(Object.keys(manifest.dependencies ?? {})),
    };
  });
}
