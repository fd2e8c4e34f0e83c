const UNITS = { y: 31_536_000_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d|y)/y;

/** Milliseconds, or text like `500ms`, `5m`, `1h30m`, `7d`, `1y` (a year has 365 days). */
export type Duration = number | string;

/** A duration written as text, for a JSON Schema. */
export const DURATION_PATTERN = '^(\\d+(\\.\\d+)?(ms|s|m|h|d|y))+$';
export const DURATION_CHARS_MAX = 64;

/** The milliseconds of a duration; null for what is none. */
export function durationMs(duration: unknown): number | null {
  if (typeof duration === 'number') return duration >= 0 && duration < Infinity ? duration : null;
  if (typeof duration !== 'string' || duration === '') return null;
  if (duration.length > DURATION_CHARS_MAX) return null;
  let ms = 0;
  PART.lastIndex = 0;
  for (let read = 0; read < duration.length; read = PART.lastIndex) {
    const part = PART.exec(duration);
    if (part === null) return null;
    ms += Number(part[1]) * UNITS[part[2] as keyof typeof UNITS];
  }
  // `2.3s` is 2299.9999999999995 in binary fractions, and every time is a whole number.
  return Math.round(ms);
}

export function parseDuration(duration: Duration): number {
  const ms = durationMs(duration);
  if (ms !== null) return ms;
  // JSON writes NaN and the infinities as null.
  const shown = typeof duration === 'string' ? JSON.stringify(duration) : String(duration);
  throw new RangeError(`invalid duration ${shown}; use text such as '5m', or milliseconds`);
}

/** A duration as text that reads back as the same: `1h30m`. Without years, which few expect to have 365 days. */
export function formatDuration(ms: number): string {
  if (!Number.isSafeInteger(ms) || ms < 0)
    throw new RangeError(`milliseconds must be a whole number from 0, not ${ms}`);
  let rest = ms;
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms'] as const) {
    const count = Math.floor(rest / UNITS[unit]);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * UNITS[unit];
  }
  return text === '' ? '0s' : text;
}
