import type { Statement } from '../sql/statement.ts';
import type { ValueWriter } from '../wire/value-writer.ts';

/** One statement of a round trip. `bind` writes exactly `parameterCount` parameters. */
export interface Step {
  readonly statement: Statement;
  readonly parameterCount: number;
  readonly bind: (writer: ValueWriter) => void;
  /** Whether the rows are requested; without, the server does not describe them. */
  readonly isRead: boolean;
}

/** A statement whose rows are read. */
export function step(
  statement: Statement,
  parameterCount = 0,
  bind: (writer: ValueWriter) => void = () => {},
): Step {
  return { statement, parameterCount, bind, isRead: true };
}

/** A statement that returns no rows, or rows that are not needed. */
export function silentStep(
  statement: Statement,
  parameterCount: number,
  bind: (writer: ValueWriter) => void,
): Step {
  return { statement, parameterCount, bind, isRead: false };
}
