import {
  CALL_WORK,
  CHARS_PER_WORK,
  COMPARED_PER_WORK,
  DURATION_CUBE_PER_WORK,
  ERROR_WORK,
  WORK_MAX,
  ZONED_CALL_WORK,
} from './limits.ts';
import { keyCount } from './runtime-types.ts';

/** Ends an evaluation that would cost too much. */
export class WorkExceeded extends Error {}

/** The part of a checked node that is metered. The library offers no bound of its own; its version is
 * pinned, and `hostile.test.ts` fails if a release does its work elsewhere. */
export interface MeteredNode {
  readonly op: string;
  readonly args: unknown;
  readonly meta: { readonly alternate?: MeteredNode; readonly macro?: Record<string, unknown> };
  handle?: (...operands: unknown[]) => unknown;
}

/** Work that several evaluations share: all filters of a request, all followers of an end. */
export interface Allowance {
  left: number;
}

export function isSpent({ left }: Allowance): boolean {
  return left <= 0;
}

/**
 * Counts the work of one evaluation at a time. It stays exceeded until it is reset: `||`, `&&` and the
 * quantifiers swallow errors of their operands and would go on.
 */
export class Meter {
  #limit = WORK_MAX;
  #left = WORK_MAX;

  reset(limit = WORK_MAX): void {
    this.#limit = Math.min(limit, WORK_MAX);
    this.#left = this.#limit;
  }

  /** Since the last reset; not more than was allowed. */
  get used(): number {
    return this.#limit - Math.max(this.#left, 0);
  }

  get isExceeded(): boolean {
    return this.#left < 0;
  }

  charge(work: number): void {
    this.#left -= work;
    if (this.#left < 0) throw new WorkExceeded('the expression exceeds its work limit');
  }

  /** Puts the meter in front of everything in a program whose work depends on its operands. */
  install(root: MeteredNode): void {
    for (const node of nodesOf(root)) {
      const inner = node.handle;
      const work = workOf(node, this);
      if (inner === undefined || work === null) continue;
      node.handle = (...operands) => {
        // Computing the work of an operand is work too, and an exceeded evaluation may still be looping.
        this.charge(0);
        this.charge(work(operands));
        return inner(...operands);
      };
    }
  }
}

function workOf(node: MeteredNode, meter: Meter): ((operands: unknown[]) => number) | null {
  switch (node.op) {
    case '+':
      // Charged before the result exists: doubling in a chain would otherwise end in no memory.
      return ([left, right]) => 1 + lengthOf(left) + lengthOf(right);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return ([left, right]) => 1 + lengthOf(left) + lengthOf(right);
    case '==':
    case '!=':
    case 'in':
      return ([left, right]) => 1 + compared(left, meter) + compared(right, meter);
    case '[]':
    case '[?]':
      // A long key is hashed.
      return ([, key]) => lengthOf(key);
    case 'call': {
      const [name] = node.args as [string];
      return ([args]) => {
        const [first] = args as unknown[];
        const parsed = name === 'duration' && typeof first === 'string' ? first.length : 0;
        return CALL_WORK + lengthsOf(args) + Math.floor(parsed ** 3 / DURATION_CUBE_PER_WORK);
      };
    }
    case 'rcall': {
      const [name] = node.args as [string];
      const isZoned = /^get[A-Z]/.test(name);
      return ([args]) => {
        const [receiver, ...others] = args as unknown[];
        const call = isZoned && others.length > 0 ? ZONED_CALL_WORK : CALL_WORK;
        const inside = name === 'join' ? joinWork(receiver, others[0]) : 0;
        const searched = SEARCHES.has(name) ? searchWork(receiver, others[0]) : 0;
        return call + lengthsOf(args) + inside + searched;
      };
    }
    case 'comprehension': {
      const { step, errorsAreFatal } = node.args as { step: MeteredNode; errorsAreFatal: boolean };
      // A quantifier goes on after an error, and making one costs more than any node.
      const perItem = nodesOf(step).size + (errorsAreFatal ? 0 : ERROR_WORK);
      return ([items]) => itemCount(items) * perItem;
    }
    default:
      return null;
  }
}

const SEARCHES: ReadonlySet<string> = new Set([
  'contains',
  'indexOf',
  'lastIndexOf',
  'replace',
  'split',
]);

/** The runtime compares, at worst, the whole of what is searched for at every place of the text. */
function searchWork(text: unknown, wanted: unknown): number {
  if (typeof text !== 'string' || typeof wanted !== 'string') return 0;
  return Math.floor((text.length * wanted.length) / COMPARED_PER_WORK);
}

/** The separator is copied as often as there are items. */
function joinWork(items: unknown, separator: unknown): number {
  if (!Array.isArray(items)) return 0;
  const separatorChars = typeof separator === 'string' ? separator.length : 0;
  return lengthsOf(items) + Math.floor((items.length * separatorChars) / CHARS_PER_WORK);
}

function itemCount(items: unknown): number {
  if (Array.isArray(items)) return items.length;
  return typeof items === 'object' && items !== null ? keyCount(items) : 0;
}

function lengthsOf(values: unknown): number {
  return (values as unknown[]).reduce<number>((sum, each) => sum + lengthOf(each), 0);
}

/** The work of reading a value once, without what its items hold. */
export function lengthOf(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) {
    return Math.floor(value.length / CHARS_PER_WORK);
  }
  if (Array.isArray(value)) return value.length >>> 2;
  return isPlainMap(value) ? keyCount(value) >>> 1 : 0;
}

function isPlainMap(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Comparing goes to the bottom of both values, so that is what is counted; itself it is charged too. */
function compared(value: unknown, meter: Meter): number {
  if (typeof value !== 'object' || value === null) return lengthOf(value);
  const rest: unknown[] = [value];
  let count = 0;
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next !== 'object' || next === null) {
      count += lengthOf(next);
      continue;
    }
    if (next instanceof Uint8Array) {
      count += lengthOf(next);
      continue;
    }
    // Charged before it is listed: a quantifier around this one would list it for every item.
    meter.charge(Array.isArray(next) ? next.length : 1);
    const inside = Object.values(next);
    meter.charge(inside.length);
    for (const each of inside) rest.push(each);
  }
  return count;
}

/** Every node of a program, also of what macros become; each once, because macros share theirs. */
export function nodesOf(root: MeteredNode): Set<MeteredNode> {
  const seen = new Set<MeteredNode>();
  const rest: unknown[] = [root];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (Array.isArray(next)) {
      for (const each of next) rest.push(each);
    } else if (isNode(next)) {
      if (seen.has(next)) continue;
      seen.add(next);
      const { alternate, macro } = next.meta;
      if (alternate !== undefined) rest.push(alternate);
      else if (macro === undefined) rest.push(insideOf(next));
      else rest.push(macro.val, macro.exp);
    }
  }
  return seen;
}

function insideOf(node: MeteredNode): unknown {
  if (node.op !== 'comprehension') return node.args;
  const { iterable, init, step } = node.args as Record<string, unknown>;
  return [iterable, init, step];
}

function isNode(value: unknown): value is MeteredNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'meta' in value;
}
