/**
 * What a caller may conclude from a failed store call. The class, not the message, decides:
 *
 * - `unavailable`  nothing was written; the same call may succeed later.
 * - `unknown`      the call may or may not have been carried out (the response was lost).
 *                  Resolve by reading back, never by guessing.
 * - `conflict`     something else won a race; nothing was written; read and decide again.
 * - `invalid`      the request can never succeed; retrying is a bug.
 * - `damaged`      a stored row that the call needs cannot be read; it is among the damaged rows.
 */
export type StoreErrorClass = 'unavailable' | 'unknown' | 'conflict' | 'invalid' | 'damaged';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorClass;

  constructor(kind: StoreErrorClass, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.kind = kind;
  }
}
