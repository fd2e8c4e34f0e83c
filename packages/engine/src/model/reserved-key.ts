/** No key of a user begins with it: what is derived for a run can meet none of theirs, nor stand in for it. */
const RESERVED = '\u0001';

export function reservedKey(name: string): string {
  return `${RESERVED}${name}`;
}

export function isReserved(key: string): boolean {
  return key.startsWith(RESERVED);
}
