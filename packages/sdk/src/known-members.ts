import { nearest } from './nearest.ts';

type KeysOf<Options> = Options extends unknown ? keyof Options & string : never;

/** A list that does not compile while a member of the options is missing from it. */
export type MembersOf<Options> = Readonly<Record<KeysOf<Options>, true>>;

/** Types are erased when a file is run. Without this check a misspelt option would be ignored silently. */
export function refuseUnknown(
  owner: string,
  names: readonly string[],
  members: Readonly<Record<string, true>>,
): void {
  const options = Object.keys(members);
  const unknown = names.filter((name) => !Object.hasOwn(members, name));
  if (unknown.length === 0) return;
  const shown = unknown.map((name) => {
    const near = nearest(name, options);
    return `${JSON.stringify(name)}${near === null ? '' : ` (did you mean ${JSON.stringify(near)}?)`}`;
  });
  throw new TypeError(
    `${owner} has no option ${shown.join(' or ')}; the options are ${options.join(', ')}`,
  );
}

/** Like `refuseUnknown` for the options of a call; also rejects a value that is not an object. */
export function checkOptions(
  call: string,
  options: object,
  members: Readonly<Record<string, true>>,
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const shown = Array.isArray(options) ? 'an array' : JSON.stringify(options);
    throw new TypeError(`${call} takes an object of options, not ${shown}`);
  }
  if (!hasOnly(options, members)) refuseUnknown(call, Object.keys(options), members);
}

/** Allocates nothing: called many thousand times a second, and nearly always true. */
export function hasOnly(options: object, members: Readonly<Record<string, true>>): boolean {
  for (const name in options) if (members[name] !== true) return false;
  return true;
}
