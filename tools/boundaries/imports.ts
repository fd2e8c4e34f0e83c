import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import type { PackageInfo, SourceTree } from './source-tree.ts';
import type { SyntaxNode } from './syntax.ts';
import { lineAt, walk } from './syntax.ts';

export type Target =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'builtin'; readonly name: string }
  | { readonly kind: 'package'; readonly name: string }
  | { readonly kind: 'unknown' };

export interface Import {
  readonly from: string;
  readonly line: number;
  readonly specifier: string;
  readonly isReexport: boolean;
  /** Erased before anything runs: cannot be part of a cycle of initialisation. */
  readonly isTypeOnly: boolean;
  readonly target: Target;
}

const importKinds = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

const builtins = new Set(builtinModules);

export function readImports(tree: SourceTree, packages: readonly PackageInfo[]): Import[] {
  const found: Import[] = [];
  for (const [from, text] of tree) {
    if (from.endsWith('.json')) continue;
    walk(from, text, ({ node }) => {
      if (!importKinds.has(node.type)) return;
      const specifier = specifierOf(node);
      if (specifier === undefined) return;
      found.push({
        from,
        line: lineAt(text, node.start),
        specifier,
        isReexport: node.type.startsWith('Export'),
        isTypeOnly: (node['importKind'] ?? node['exportKind']) === 'type',
        target: resolve(from, specifier, { tree, packages }),
      });
    });
  }
  return found;
}

/** The literal a node imports from; a computed import has none, and a plain export neither. */
function specifierOf(node: SyntaxNode): string | undefined {
  const literal = (node['source'] ?? node['argument']) as SyntaxNode | null | undefined;
  const value = literal?.['value'] ?? (literal?.['literal'] as SyntaxNode | undefined)?.['value'];
  if (typeof value === 'string') return value;
  return node.type === 'ImportExpression' ? '(computed)' : undefined;
}

interface Context {
  readonly tree: SourceTree;
  readonly packages: readonly PackageInfo[];
}

function resolve(from: string, specifier: string, { tree, packages }: Context): Target {
  if (specifier.startsWith('.')) {
    const file = posix.join(posix.dirname(from), specifier);
    return tree.has(file) || !/\.(ts|mjs)$/.test(file)
      ? { kind: 'file', file }
      : { kind: 'unknown' };
  }
  const bare = specifier.replace(/^node:/, '');
  if (specifier.startsWith('node:') || builtins.has(bare)) return { kind: 'builtin', name: bare };
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const own = packages.find((each) => each.name === name);
  if (own === undefined) return { kind: 'package', name };
  const file = own.entries.get(specifier);
  return file === undefined ? { kind: 'unknown' } : { kind: 'file', file };
}
