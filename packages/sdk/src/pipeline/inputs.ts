import { INPUT_DEPTH_MAX, type InputSource } from '@signalbox/protocol';
import { type Place, placeOf, type Referring } from './reference.ts';

/**
 * What a task is given, member by member: references, tasks, constants, and lists and objects of these. The
 * empty list has the compiler keep the place of each item of a list.
 */
export type Given = Readonly<Record<string, NonNullable<unknown> | null | undefined | []>>;

/** The same as the handler gets it. */
export type Taken<G> = { -readonly [Name in keyof G]: TakenValue<G[Name]> };
type TakenValue<V> =
  V extends Referring<infer T>
    ? T
    : V extends Opaque
      ? V
      : V extends readonly unknown[]
        ? { -readonly [Index in keyof V]: Item<TakenValue<V[Index]>> }
        : V extends object
          ? Taken<V>
          : V;
/** Not looked into: a reference in one is not found. */
type Opaque =
  | Date
  | Map<unknown, unknown>
  | Set<unknown>
  | ArrayBufferView
  | ((...a: never) => unknown);
/** A list keeps the place of what is missing. */
type Item<T> = undefined extends T ? Exclude<T, undefined> | null : T;

/** What can be given where `T` is wanted. */
export type Giving<T> = { readonly [Name in keyof T]: GivingValue<T[Name]> };
type GivingValue<T> =
  | T
  | Referring<T>
  | (T extends Opaque
      ? never
      : T extends readonly (infer Each)[]
        ? readonly GivingValue<Each>[]
        : T extends object
          ? Giving<T>
          : never);

/** Where each member comes from. `wrong` makes the error for a member that cannot be written down. */
export function sourcesOf(
  inputs: Given,
  wrong: (what: string) => Error,
): Record<string, InputSource> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => {
      if (depthOf(input) > INPUT_DEPTH_MAX) {
        throw wrong(`has more than ${INPUT_DEPTH_MAX} levels of nesting in its input ${name}`);
      }
      return [name, sourceOf(input) as InputSource];
    }),
  );
}

/** Its depth was looked at before. */
interface Source {
  readonly task?: string;
  readonly path?: string;
  readonly value?: unknown;
  readonly list?: readonly Source[];
  readonly object?: Readonly<Record<string, Source>>;
}

function sourceOf(input: unknown): Source {
  const place = placeOf(input);
  if (place !== null) return placeSource(place);
  const parts = partsOf(input);
  if (parts === null || depthOf(input) < 0) return { value: input };
  if (Array.isArray(input)) return { list: parts.map(([, part]) => sourceOf(part)) };
  return { object: Object.fromEntries(parts.map(([name, part]) => [name, sourceOf(part)])) };
}

function placeSource({ task, path }: Place): Source {
  if (task === null) return { path };
  return path === '' ? { task } : { task, path };
}

/** A reference, and the members and positions that lead to it. */
export interface Found {
  readonly at: readonly (string | number)[];
  readonly place: Place;
}

export function referencesIn(input: unknown, at: Found['at'] = []): Found[] {
  const place = placeOf(input);
  if (place !== null) return [{ at, place }];
  const isList = Array.isArray(input);
  return (partsOf(input) ?? []).flatMap(([name, part]) =>
    referencesIn(part, [...at, isList ? Number(name) : name]),
  );
}

export function placesIn(inputs: Given): Place[] {
  return referencesIn(inputs).map(({ place }) => place);
}

/** How deep in lists and objects the deepest reference is; -1 where there is none. */
function depthOf(input: unknown): number {
  if (placeOf(input) !== null) return 0;
  const depths = (partsOf(input) ?? []).map(([, part]) => depthOf(part));
  const deepest = Math.max(-1, ...depths);
  return deepest < 0 ? -1 : deepest + 1;
}

/** Of a list or a plain object; null for everything else, which is a constant as a whole. */
export function partsOf(input: unknown): [string, unknown][] | null {
  if (typeof input !== 'object' || input === null) return null;
  const prototype = Object.getPrototypeOf(input);
  const isPlain = Array.isArray(input) || prototype === Object.prototype || prototype === null;
  return isPlain ? Object.entries(input) : null;
}
