// The syntax tree of a source file, walked without knowing every kind of node.
import { parseSync } from 'rolldown/utils';

export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface Visit {
  readonly node: SyntaxNode;
  readonly parent: SyntaxNode;
  /** The property of the parent that holds the node. */
  readonly key: string;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value;
}

export function walk(file: string, text: string, visit: (visit: Visit) => void): void {
  const { program, errors } = parseSync(file, text, { astType: 'ts' });
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const descend = (parent: SyntaxNode): void => {
    for (const [key, value] of Object.entries(parent)) {
      for (const node of Array.isArray(value) ? value : [value]) {
        if (!isNode(node)) continue;
        visit({ node, parent, key });
        descend(node);
      }
    }
  };
  descend(program as unknown as SyntaxNode);
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
