import type { InputSource } from '@signalbox/protocol';
import { type Place, placeOf, type Referring } from './reference.ts';

/** What a task is given, member by member: references, tasks, and constants. */
export type Given = Readonly<Record<string, unknown>>;

/** The same as the handler gets it. */
export type Taken<G> = { -readonly [Name in keyof G]: TakenValue<G[Name]> };
type TakenValue<V> = V extends Referring<infer T> ? T : V;

/** What can be given where `T` is wanted. */
export type Giving<T> = { readonly [Name in keyof T]: T[Name] | Referring<T[Name]> };

export function sourcesOf(inputs: Given): Record<string, InputSource> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, given]) => [name, sourceOf(given, placeOf(given))]),
  );
}

function sourceOf(given: unknown, place: Place | null): InputSource {
  if (place === null) return { value: given };
  const { task, path } = place;
  if (task === null) return { path };
  return path === '' ? { task } : { task, path };
}

export function placesIn(inputs: Given): Place[] {
  return Object.values(inputs).flatMap((given) => placeOf(given) ?? []);
}
