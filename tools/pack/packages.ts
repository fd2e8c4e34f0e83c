import { dirname, posix } from 'node:path';
import { readImports } from '../boundaries/imports.ts';
import { readPackages, readSourceTree, type SourceTree } from '../boundaries/source-tree.ts';
import { type Manifest, publishedEntries } from './manifest.ts';

export interface Package {
  /** Its folder below `packages`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

export interface Workspace {
  readonly packages: readonly Package[];
  /**
   * The files that the published entries import, directly or not, relative to the repository. Tests and their
   * helpers are not among them.
   */
  readonly sources: readonly string[];
}

export function readWorkspace(): Workspace {
  // Tests and tools take no part, and most of the time goes into reading imports.
  const tree = new Map([...readSourceTree()].filter(([file]) => IS_PRODUCT.test(file)));
  const manifests = [...tree].filter(([file]) => /^packages\/[^/]+\/package\.json$/.test(file));
  const packages = manifests.map(([file, text]) => ({
    folder: file.split('/')[1] as string,
    manifest: JSON.parse(text) as Manifest,
  }));
  return { packages, sources: [...reachable(tree, packages.flatMap(entriesOf))].sort() };
}

function entriesOf({ folder, manifest }: Package): string[] {
  const published = publishedEntries(manifest).map(([, source]) => source);
  const sources = [...published, ...Object.values(manifest.bin ?? {})];
  return sources.map((source) => posix.join('packages', folder, source));
}

function reachable(tree: SourceTree, entries: readonly string[]): Set<string> {
  const imports = Map.groupBy(readImports(tree, readPackages(tree)), ({ from }) => from);
  const found = new Set<string>();
  const open = [...entries];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    for (const { target } of imports.get(file) ?? []) {
      if (target.kind === 'file') open.push(target.file);
    }
    open.push(...threadModules(file, tree.get(file) ?? ''));
  }
  return found;
}

/** Modules that a thread or process starts from: nothing imports them, `siblingModule` names them. */
function threadModules(file: string, text: string): string[] {
  return [...text.matchAll(SIBLING)].map(([, name]) => `${dirname(file)}/${name}.ts`);
}

const SIBLING = /siblingModule\('([\w-]+)', import\.meta\.url\)/g;

const IS_PRODUCT = /^packages\/(?!.*\.test\.ts$)/;
