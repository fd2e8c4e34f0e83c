// Names that would let the world into code that must be a function of its input.
import type { Problem } from '../problem.ts';
import type { SourceTree } from './source-tree.ts';
import type { SyntaxNode, Visit } from './syntax.ts';
import { lineAt, walk } from './syntax.ts';
import { isFree } from './zones.ts';

const clock = 'one stray clock ends reproducibility: take the time from the command';
const dice = 'one stray die ends reproducibility: take randomness from the command';
const timer = 'a timer runs outside of the order of commands: ask for a wake-up instead';
const world = 'the world is read outside of it and handed in';
const later = 'a decision is made in one step: the shell waits, this code does not';
const collector = 'what the garbage collector does differs from run to run';
const locale = 'the answer depends on the locale data of the machine';

const impure: ReadonlyMap<string, string> = new Map([
  ['Date', clock],
  ['performance', clock],
  ['crypto', dice],
  ['setTimeout', timer],
  ['setInterval', timer],
  ['setImmediate', timer],
  ['queueMicrotask', timer],
  ['process', world],
  ['console', 'nobody can replay a log line: return a fact or an effect'],
  ['globalThis', 'it is a door to everything else that is banned'],
]);

const engineOnly: ReadonlyMap<string, string> = new Map([
  ['Promise', later],
  ['fetch', world],
  ['WeakRef', collector],
  ['FinalizationRegistry', collector],
  ['Intl', locale],
]);

const engineMembers: ReadonlyMap<string, string> = new Map([
  ['localeCompare', locale],
  ['toLocaleString', locale],
]);

interface Rule {
  readonly path: string;
  readonly names: ReadonlyMap<string, string>;
  readonly members: ReadonlyMap<string, string>;
  readonly allowsAsync: boolean;
}

const rules: readonly Rule[] = [
  {
    path: 'packages/engine/src/',
    names: new Map([...impure, ...engineOnly]),
    members: engineMembers,
    allowsAsync: false,
  },
  { path: 'packages/node/src/loop/', names: impure, members: new Map(), allowsAsync: true },
];

export function findImpurities(tree: SourceTree): Problem[] {
  const problems: Problem[] = [];
  for (const [file, text] of tree) {
    const rule = rules.find((each) => file.startsWith(each.path));
    if (rule === undefined || isFree(file)) continue;
    walk(file, text, (visit) => {
      const message = impurity(visit, rule);
      if (message !== undefined) {
        problems.push({ file, line: lineAt(text, visit.node.start), message });
      }
    });
  }
  return problems;
}

function impurity(visit: Visit, rule: Rule): string | undefined {
  const { node, parent, key } = visit;
  if (!rule.allowsAsync && isAsync(node)) return `async is banned here: ${later}`;
  if (node.type !== 'Identifier') return undefined;
  const name = String(node['name']);
  if (isMember(visit)) {
    const object = parent['object'] as SyntaxNode | undefined;
    if (name === 'random' && object?.['name'] === 'Math')
      return `Math.random is banned here: ${dice}`;
    const why = rule.members.get(name);
    return why === undefined ? undefined : `${name} is banned here: ${why}`;
  }
  if (isPropertyName(visit)) return undefined;
  if (
    name === 'Math' &&
    !(parent.type === 'MemberExpression' && key === 'object' && !parent['computed'])
  ) {
    return `Math is used by its members here, so that Math.random can be seen: ${dice}`;
  }
  const why = rule.names.get(name);
  return why === undefined ? undefined : `${name} is banned here: ${why}`;
}

function isAsync(node: SyntaxNode): boolean {
  return node['async'] === true || node.type === 'AwaitExpression' || node['await'] === true;
}

function isMember({ parent, key }: Visit): boolean {
  return parent.type === 'MemberExpression' && key === 'property' && parent['computed'] !== true;
}

const named = new Set([
  'Property',
  'PropertyDefinition',
  'MethodDefinition',
  'AccessorProperty',
  'TSPropertySignature',
  'TSMethodSignature',
]);

/** A name that belongs to an object or a type and refers to nothing outside. */
function isPropertyName({ parent, key }: Visit): boolean {
  if (named.has(parent.type)) return key === 'key' && parent['computed'] !== true;
  if (parent.type === 'TSQualifiedName') return key === 'right';
  return parent.type === 'LabeledStatement' || parent.type === 'ImportSpecifier'
    ? key !== 'local'
    : false;
}
