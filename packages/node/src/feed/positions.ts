/**
 * How far a watcher has come: for each partition the group and, where it stopped within one, the
 * place of the fact. As text it is the id of a server-sent event, and all that a client keeps:
 * `3.1k` (partition 3, all of group 1k) or `3.1k.4` (up to fact 4 of it), joined by `-`, in base 36.
 */
export interface Position {
  readonly seq: number;
  /** The last delivered fact; null for the whole group. */
  readonly index: number | null;
}

export type Positions = ReadonlyMap<number, Position>;

const TEXT_MAX = 65_536;
const ENTRY = /^([0-9a-z]{1,3})\.([0-9a-z]{1,10})(?:\.([0-9a-z]{1,6}))?$/;

export function formatPositions(positions: Positions): string {
  const parts: string[] = [];
  for (const [partition, { seq, index }] of positions) parts.push(formatOne(partition, seq, index));
  return parts.join('-');
}

export function formatOne(partition: number, seq: number, index: number | null): string {
  const text = `${partition.toString(36)}.${seq.toString(36)}`;
  return index === null ? text : `${text}.${index.toString(36)}`;
}

/** Null for what is not one of ours. */
export function parsePositions(text: string): Positions | null {
  if (text === '' || text.length > TEXT_MAX) return null;
  const positions = new Map<number, Position>();
  for (const part of text.split('-')) {
    const found = ENTRY.exec(part);
    if (found === null) return null;
    const [, partition, seq, index] = found as unknown as [string, string, string, string?];
    positions.set(Number.parseInt(partition, 36), {
      seq: Number.parseInt(seq, 36),
      index: index === undefined ? null : Number.parseInt(index, 36),
    });
  }
  return positions;
}
