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
  throw new TypeError(
    `${of} has no option ${told.join(' or ')}; the options are ${names.join(', ')}`,
  );
}

/**
 * The same for the options of a call. A text or a number in their place has no members to look at, and would
 * pass as if nothing had been given.
 */
export function checkOptions(
  call: string,
  options: object,
  known: Readonly<Record<string, true>>,
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const given = Array.isArray(options) ? 'an array' : JSON.stringify(options);
    throw new TypeError(`${call} takes an object of options, not ${given}`);
  }
  if (!hasOnly(options, known)) refuseUnknown(call, Object.keys(options), known);
}

/** Without an object or a text for those that are as they should be: nearly all, many thousand a second. */
export function hasOnly(options: object, known: Readonly<Record<string, true>>): boolean {
  for (const name in options) if (known[name] !== true) return false;
  return true;
}
