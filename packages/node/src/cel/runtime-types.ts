import { Environment } from '@marcbachmann/cel-js';
import { TYPE_DEPTH_MAX } from './limits.ts';

/** The part of the library's evaluator that determines the types of operands while it evaluates. */
interface Evaluator {
  readonly registry: {
    getListType(item: RuntimeType): RuntimeType;
    getMapType(key: RuntimeType, value: RuntimeType): RuntimeType;
  };
  readonly dynType: RuntimeType;
  debugType(value: unknown): RuntimeType;
  debugTypeDeep(value: unknown): RuntimeType;
}

interface RuntimeType {
  readonly kind: string;
  readonly keyType: RuntimeType;
}

const firstKeys = new WeakMap<object, string | undefined>();
const keyCounts = new WeakMap<object, number>();

/** Cached, because V8 sorts all keys of a large object whenever they are enumerated. */
export function keyCount(map: object): number {
  const cached = keyCounts.get(map);
  if (cached !== undefined) return cached;
  const count = Object.keys(map).length;
  keyCounts.set(map, count);
  return count;
}

function firstKey(map: object): string | undefined {
  if (firstKeys.has(map)) return firstKeys.get(map);
  const [key] = Object.keys(map);
  firstKeys.set(map, key);
  return key;
}

/**
 * Replaces the function that determines the type of an operand from its first items. The library's
 * function enumerates a map for every operator and keeps a type for every shape it has ever seen, so
 * that a large map costs milliseconds per operator and deep values of many shapes fill the memory.
 */
export function boundRuntimeTypes(): void {
  const environment = new Environment();
  environment.registerFunction('evaluator(): bool', function (this: Evaluator) {
    (Object.getPrototypeOf(this) as Evaluator).debugTypeDeep = function (this: Evaluator, value) {
      return typeOf(this, value, TYPE_DEPTH_MAX);
    };
    return true;
  });
  environment.evaluate('evaluator()');
}

function typeOf(evaluator: Evaluator, value: unknown, depthLeft: number): RuntimeType {
  const type = evaluator.debugType(value);
  if (type.kind !== 'list' && type.kind !== 'map') return type;
  if (depthLeft === 0) return evaluator.dynType;
  if (type.kind === 'list') {
    const [first] = value as unknown[];
    if (first === undefined) return type;
    return evaluator.registry.getListType(typeOf(evaluator, first, depthLeft - 1));
  }
  const map = value as Record<string, unknown>;
  const key = firstKey(map);
  if (key === undefined) return type;
  const keyType = evaluator.debugType(key);
  return evaluator.registry.getMapType(keyType, typeOf(evaluator, map[key], depthLeft - 1));
}
