/**
 * Invariants are checked at the transition that could break them, in production too: a corrupt
 * scheduler that goes on is worse than one that stops at the right line. The number names the
 * invariant in docs/architecture.md. The composition root decides what a violation does.
 */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
  readonly invariant: string;

  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.invariant = invariant;
  }
}

export function invariant(holds: boolean, id: string, message: string): asserts holds {
  if (!holds) throw new InvariantViolation(id, message);
}

/** The compiler finds every switch that a new kind must be added to. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
