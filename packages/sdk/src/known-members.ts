import { nearest } from './nearest.ts';

type KeysOf<Options> = Options extends unknown ? keyof Options & string : never;

/** A list that does not compile while a member of the options is missing from it. */
export type MembersOf<Options> = Readonly<Record<KeysOf<Options>, true>>;

/**
 * Where a file is run, its types are erased without a look at them. What is not refused here is dropped in
 * silence, and the job runs without the setting that somebody misspelt.
 */
export function refuseUnknown(
  of: string,
  given: readonly string[],
  known: Readonly<Record<string, true>>,
): void {
  const names = Object.keys(known);
  const unknown = given.filter((name) => !Object.hasOwn(known, name));
  if (unknown.length === 0) return;
  const told = unknown.map((name) => {
    const near = nearest(name, names);
    return `${JSON.stringify(name)}${near === null ? '' : ` (did you mean ${JSON.stringify(near)}?)`}`;
  });
  throw new TypeError(`${of} has no setting ${told.join(', nor ')}; it takes ${names.join(', ')}`);
}
