import type { Problem } from '../problem.ts';
import { findFileCycles } from './cycles.ts';
import type { Import } from './imports.ts';
import { readImports } from './imports.ts';
import { findImpurities } from './purity.ts';
import { findRoomProblems, type RoomExceptions } from './rooms.ts';
import type { PackageInfo, SourceTree } from './source-tree.ts';
import { readPackages } from './source-tree.ts';
import type { Zone } from './zones.ts';
import { isFree, roomExceptions, stageProblem, zoneOf } from './zones.ts';

export function checkBoundaries(
  tree: SourceTree,
  exceptions: RoomExceptions = roomExceptions,
): Problem[] {
  const packages = readPackages(tree);
  const imports = readImports(tree, packages);
  const entries = new Set(packages.flatMap((each) => [...each.entries.values()]));
  return [
    ...findHomeless(tree),
    ...findBarrels(tree, entries),
    ...imports.flatMap((each) => importProblems(each, { packages, entries })),
    ...findUnused(tree, { packages, imports }),
    ...findFileCycles(imports),
    ...findRoomProblems(imports, exceptions),
    ...findImpurities(tree),
  ];
}

/** A new package or folder says in the table of zones what it may import before it has a file. */
function findHomeless(tree: SourceTree): Problem[] {
  return [...tree.keys()]
    .filter((file) => !file.endsWith('.json') && !isFree(file) && zoneOf(file) === undefined)
    .map((file) => ({ file, line: 1, message: 'no zone in tools/boundaries/zones.ts covers it' }));
}

function findBarrels(tree: SourceTree, entries: ReadonlySet<string>): Problem[] {
  return [...tree.keys()]
    .filter((file) => file.endsWith('/index.ts') && !entries.has(file))
    .map((file) => ({ file, line: 1, message: 'only an entry in package.json is an index.ts' }));
}

interface Context {
  readonly packages: readonly PackageInfo[];
  readonly entries: ReadonlySet<string>;
}

function importProblems(each: Import, { packages, entries }: Context): Problem[] {
  const messages: (string | undefined)[] = [];
  if (each.target.kind === 'unknown') messages.push(`${each.specifier} does not exist`);
  if (each.isReexport && !entries.has(each.from)) {
    messages.push('only an entry of a package re-exports: import from where it is defined');
  }
  const zone = zoneOf(each.from);
  if (!isFree(each.from) && zone !== undefined) {
    messages.push(zoneProblem(each, zone), dependencyProblem(each, packages));
  }
  return messages
    .filter((message) => message !== undefined)
    .map((message) => ({ file: each.from, line: each.line, message }));
}

function zoneProblem({ from, specifier, target }: Import, zone: Zone): string | undefined {
  if (specifier === '(computed)') return 'a computed import cannot be checked';
  const refused = `${zone.path} may not import ${specifier}`;
  switch (target.kind) {
    case 'unknown':
      return undefined;
    case 'builtin':
      return zone.builtins ? undefined : `${refused}: it has no input or output of its own`;
    case 'package':
      return zone.packages === 'declared' || zone.packages.includes(target.name)
        ? undefined
        : refused;
    case 'file':
      return fileProblem({ from, specifier, to: target.file }, zone);
  }
}

interface FileImport {
  readonly from: string;
  readonly specifier: string;
  readonly to: string;
}

function fileProblem({ from, specifier, to }: FileImport, zone: Zone): string | undefined {
  if (isFree(to)) return `${specifier} is for tests and tools only`;
  if (packageOf(from) !== packageOf(to) && specifier.startsWith('.')) {
    return `${specifier} leaves its package: import the other package by name`;
  }
  const target = zoneOf(to);
  if (target !== undefined && target !== zone && !zone.zones.includes(target.path)) {
    return `${zone.path} may not import ${target.path}`;
  }
  return stageProblem(from, to);
}

function packageOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return first === 'packages' ? `${first}/${second}` : first;
}

/** A dependency that no published file imports is installed by every user for nothing. */
function findUnused(
  tree: SourceTree,
  { packages, imports }: { packages: readonly PackageInfo[]; imports: readonly Import[] },
): Problem[] {
  return packages.flatMap(({ dir, dependencies }) => {
    const used = new Set(
      imports
        .filter(({ from }) => from.startsWith(`${dir}/`) && !from.endsWith('.test.ts'))
        .map(({ specifier }) => nameOf(specifier)),
    );
    const file = `${dir}/package.json`;
    const lines = tree.get(file)?.split('\n') ?? [];
    return [...dependencies]
      .filter((name) => !used.has(name))
      .map((name) => ({
        file,
        line: lines.findIndex((text) => text.includes(`"${name}"`)) + 1,
        message: `no file of the package imports its dependency ${name}`,
      }));
  });
}

function nameOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** What works only because a sibling installed it breaks when the package is published. */
function dependencyProblem({ from, target, specifier }: Import, packages: readonly PackageInfo[]) {
  const own = packages.find((each) => from.startsWith(`${each.dir}/`));
  if (own === undefined || target.kind === 'builtin' || specifier.startsWith('.')) return undefined;
  const name = nameOf(specifier);
  const isTestSuite = from.startsWith('packages/store/src/conformance/');
  if (own.dependencies.has(name) || own.name === name || isTestSuite) return undefined;
  return `${name} is not a dependency of ${own.name}`;
}
