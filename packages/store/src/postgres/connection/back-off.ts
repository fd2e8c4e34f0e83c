const DELAY_MS_FIRST = 50;
const DELAY_MS_MAX = 2_000;

/**
 * Limits connection attempts to a dead server: after a failure the next attempt waits, each time longer.
 * Calls in between fail at once, because callers have their own deadlines.
 */
export class BackOff {
  private failures = 0;
  private notBefore = 0;

  isWaiting(nowMs: number): boolean {
    return nowMs < this.notBefore;
  }

  failed(nowMs: number): void {
    this.notBefore = nowMs + Math.min(DELAY_MS_MAX, DELAY_MS_FIRST * 2 ** this.failures);
    this.failures++;
  }

  succeeded(): void {
    this.failures = 0;
    this.notBefore = 0;
  }
}
