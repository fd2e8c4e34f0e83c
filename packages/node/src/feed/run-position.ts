import { formatOne, type Position, parsePositions } from './positions.ts';

/** How far the stream of a run has come: in the journal of its partition, and in time with log lines. */
export interface RunPosition {
  readonly from: Position | undefined;
  /** Lines before this time have been sent. */
  readonly sinceMs: number;
}

/** As text it is a position of the journal and, behind `~`, the time of the last line in base 36. */
export function formatRunPosition(
  partition: number,
  position: Position,
  linesUpTo: number,
): string {
  const text = formatOne(partition, position.seq, position.index);
  return linesUpTo === 0 ? text : `${text}~${linesUpTo.toString(36)}`;
}

/** `from` is absent where the text is not a position of the partition. */
export function parseRunPosition(lastEventId: string | undefined, partition: number): RunPosition {
  const [position = '', since = ''] = lastEventId?.split('~') ?? [];
  const from = parsePositions(position)?.get(partition);
  return { from, sinceMs: /^[0-9a-z]{1,10}$/.test(since) ? Number.parseInt(since, 36) : 0 };
}
