/** A stretch of time during which the clocks of a zone differ from UTC by one offset. */
export interface ZoneSpan {
  readonly startMs: number;
  /** Not part of it. */
  readonly endMs: number;
  /** Local time minus UTC. */
  readonly offsetMs: number;
}

/**
 * The clocks of a place. The engine is handed one and never looks the rules up, so the same input
 * gives the same windows on every machine.
 *
 * `spanAt` answers the same for ever. A span may end where no clock changes, but not within two
 * days of the instant that was asked for: overlaps and gaps are told by the neighbours of a span.
 */
export interface Zone {
  /** The name that the author of a schedule wrote, like `Europe/Berlin`. */
  readonly name: string;
  spanAt(utcMs: number): ZoneSpan;
}

/** A zone whose clocks never change. */
export function fixedZone(name: string, offsetMs: number): Zone {
  const span: ZoneSpan = { startMs: -Infinity, endMs: Infinity, offsetMs };
  return { name, spanAt: () => span };
}

export const UTC: Zone = fixedZone('UTC', 0);
