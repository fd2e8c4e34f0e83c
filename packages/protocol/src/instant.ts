import { LIMITS } from './limits.ts';

const DATE = /^(\d{4})-(\d\d)-(\d\d)/;
const TIME = /^T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?$/i;
const OFFSET = /(?:Z|([+-])(\d\d):(\d\d))$/i;
const DATE_CHARS = 10;
const MINUTE_MS = 60_000;

/** A date and time as written: what the wall clock shows, and its offset from UTC; null if it has none. */
export interface WrittenInstant {
  readonly wallMs: number;
  readonly offsetMs: number | null;
}

/**
 * Reads ISO 8601, a date and time or a date alone, which is its midnight. Null for everything else,
 * and for what no clock here shows: 30 February, hour 24, leap seconds. `Date.parse` accepts some of
 * these, each engine others.
 */
export function readInstant(text: unknown): WrittenInstant | null {
  if (typeof text !== 'string') return null;
  const date = DATE.exec(text);
  if (date === null) return null;
  const offset = text.length > DATE_CHARS ? OFFSET.exec(text) : null;
  const time = text.slice(DATE_CHARS, offset?.index);
  const [year, month, day] = date.slice(1).map(Number) as [number, number, number];
  const midnightMs = new Date(0).setUTCFullYear(year, month - 1, day);
  if (!new Date(midnightMs).toISOString().startsWith(text.slice(0, DATE_CHARS))) return null;
  if (time === '') return offset === null ? { wallMs: midnightMs, offsetMs: null } : null;
  const [, hours, minutes, seconds = 0, fraction = ''] = TIME.exec(time) ?? [];
  if (hours === undefined || minutes === undefined) return null;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const minuteCount = Number(hours) * 60 + Number(minutes);
  const wallMs = midnightMs + minuteCount * MINUTE_MS + Number(seconds) * 1_000 + ms;
  if (offset === null) return { wallMs, offsetMs: null };
  const [, sign, offsetHours = 0, offsetMinutes = 0] = offset;
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return null;
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * MINUTE_MS;
  return { wallMs, offsetMs: sign === '-' ? -offsetMs : offsetMs };
}

/**
 * The milliseconds of an instant in ISO 8601, or of a date, which is its midnight in UTC; null for
 * what is neither. A time without a zone is neither: it would mean another instant on each machine.
 */
export function anyInstantMs(text: unknown): number | null {
  const written = readInstant(text);
  if (written === null) return null;
  if (written.offsetMs !== null) return written.wallMs - written.offsetMs;
  return (text as string).length === DATE_CHARS ? written.wallMs : null;
}

/** Like `anyInstantMs`, and null beyond the range of instants: for all that a node is to act on. */
export function instantMs(text: unknown): number | null {
  const ms = anyInstantMs(text);
  const { min, max } = LIMITS.instant;
  return ms !== null && ms >= min && ms <= max ? ms : null;
}
