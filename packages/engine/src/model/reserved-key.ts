/** No key of a user begins with it: what is derived for a run can meet none of theirs, nor stand in for it. */
const RESERVED = '\u0001';

export function reservedKey(name: string): string {
  return `${RESERVED}${name}`;
}

/**
 * What the id of an inbox entry is stored under, as the name of the run that it became. Clients know such
 * ids, and one that uses an id as the key of another submission would otherwise take the run's name.
 */
export function entryKey(entry: string): string {
  return reservedKey(`inbox/${entry}`);
}

export function isReserved(key: string): boolean {
  return key.startsWith(RESERVED);
}
