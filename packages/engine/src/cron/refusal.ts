import type { CronField } from './fields.ts';

/** Part of a text, and where it begins in the whole expression. */
export interface Piece {
  readonly text: string;
  /** Index of its first character. */
  readonly at: number;
}

/** Why an expression is refused: for the person who wrote it, and for a form that marks the place. */
export interface CronRefusal {
  /** `expression` where no single field is at fault. */
  readonly field: CronField | 'expression';
  /** The character at which the fault begins; the first is 1. */
  readonly position: number;
  readonly message: string;
}

/** Thrown inside the parser and caught at its door: a refusal is an answer, not a failure. */
export class CronRefused extends Error {
  readonly refusal: CronRefusal;

  constructor(field: CronRefusal['field'], at: number, message: string) {
    super(message);
    this.refusal = { field, position: at + 1, message };
  }
}
