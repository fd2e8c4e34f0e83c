const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, y: 31_536_000_000 };
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d|y)/y;

/** Milliseconds, or text like `500ms`, `5m`, `1h30m`, `7d`, `1y` (a year has 365 days). */
export type Duration = number | string;

export function parseDuration(duration: Duration): number {
  if (typeof duration === 'number') {
    if (!Number.isFinite(duration) || duration < 0) throw wrong(duration);
    return duration;
  }
  let ms = 0;
  PART.lastIndex = 0;
  for (let read = 0; read < duration.length; read = PART.lastIndex) {
    const part = PART.exec(duration);
    if (part === null) throw wrong(duration);
    ms += Number(part[1]) * UNITS[part[2] as keyof typeof UNITS];
  }
  if (duration === '') throw wrong(duration);
  // `2.3s` is 2299.9999999999995 in binary fractions, and every time is a whole number.
  return Math.round(ms);
}

function wrong(duration: Duration): RangeError {
  return new RangeError(
    `not a duration: ${JSON.stringify(duration)}; write it like '5m' or 300_000`,
  );
}
