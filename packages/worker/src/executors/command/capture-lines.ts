import type { LogBudget } from './log-budget.ts';

const PIECE_BYTES_MAX = 16_384;
const NEWLINE = 10;

/** Cuts what a pipe delivers into pieces of whole lines, so that no line is torn between two. */
export class LineCapture {
  #pending: Buffer = Buffer.alloc(0);
  readonly #budget: LogBudget;
  readonly #log: (bytes: Uint8Array) => void;

  constructor(params: { budget: LogBudget; log: (bytes: Uint8Array) => void }) {
    this.#budget = params.budget;
    this.#log = params.log;
  }

  push(chunk: Buffer): void {
    let rest = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    for (;;) {
      const end = pieceEnd(rest);
      if (end === 0) break;
      this.#emit(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    // A copy: the pipe's buffer is larger than what is left of it.
    this.#pending = Buffer.from(rest);
  }

  end(): void {
    if (this.#pending.length > 0) this.#emit(this.#pending);
    this.#pending = Buffer.alloc(0);
  }

  #emit(piece: Buffer): void {
    if (!this.#budget.take(piece.length)) return;
    const text = piece.at(-1) === NEWLINE ? piece.subarray(0, -1) : piece;
    this.#log(text);
  }
}

/** After the last newline that fits; within a line only where the line alone is too long. */
function pieceEnd(bytes: Buffer): number {
  const newline = bytes.lastIndexOf(NEWLINE, PIECE_BYTES_MAX - 1);
  if (newline >= 0) return newline + 1;
  if (bytes.length <= PIECE_BYTES_MAX) return 0;
  let end = PIECE_BYTES_MAX;
  // Not within a character.
  while (end > PIECE_BYTES_MAX - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
