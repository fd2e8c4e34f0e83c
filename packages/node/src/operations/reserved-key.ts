/** No key of a user begins with it: what the node derives for itself can meet none of theirs. */
const RESERVED = '\u0001';

export function reservedKey(name: string): string {
  return `${RESERVED}${name}`;
}

export function isReserved(key: string): boolean {
  return key.startsWith(RESERVED);
}
