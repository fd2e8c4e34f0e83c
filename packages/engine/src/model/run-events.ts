/** Events that a run keeps for waits that have not begun; beyond this the oldest go. */
const KEPT_MAX = 100;
const KEPT_BYTES_MAX = 1_048_576;

/** An event that came before the wait that it may be for. */
export interface KeptEvent {
  /** What names the event, wherever and however often it is delivered. */
  readonly key: string;
  readonly type: string;
  /** The whole event, as JSON. */
  readonly event: Uint8Array;
  /** Waits that are known to take it, should they begin; the others cannot be told yet. */
  readonly suits: readonly number[];
}

/** What a run has heard of events: each counts once in it, for one wait. */
export class RunEvents {
  /** Keys of those that ended a wait. */
  readonly taken = new Set<string>();
  readonly kept: KeptEvent[] = [];

  knows(key: string): boolean {
    return this.taken.has(key) || this.kept.some((event) => event.key === key);
  }

  keep(event: KeptEvent): void {
    this.kept.push(event);
    let bytes = this.kept.reduce((sum, each) => sum + each.event.length, 0);
    while (this.kept.length > KEPT_MAX || (bytes > KEPT_BYTES_MAX && this.kept.length > 1)) {
      bytes -= this.kept.shift()?.event.length ?? 0;
    }
  }

  take(key: string): void {
    this.taken.add(key);
    const at = this.kept.findIndex((event) => event.key === key);
    if (at >= 0) this.kept.splice(at, 1);
  }
}
