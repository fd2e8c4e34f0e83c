import { formatOne, type Position, parsePositions } from './positions.ts';
import { SentLines } from './sent-lines.ts';

/** How far the stream of a run has come: in the journal of its partition, and with log lines. */
export interface RunPosition {
  readonly from: Position | undefined;
  readonly lines: SentLines;
}

/** As text it is a position of the journal and, behind `~`, the lines that were sent. */
export function formatRunPosition(partition: number, position: Position, lines: SentLines): string {
  return `${formatOne(partition, position.seq, position.index)}${lines.format()}`;
}

/** `from` is absent where the text is not a position of the partition. */
export function parseRunPosition(lastEventId: string | undefined, partition: number): RunPosition {
  const [position = '', ...lines] = lastEventId?.split('~') ?? [];
  const from = parsePositions(position)?.get(partition);
  return { from, lines: SentLines.parse(lines.join('~')) };
}
