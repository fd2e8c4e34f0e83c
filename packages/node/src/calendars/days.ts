const DAY_MS = 86_400_000;

/** Days since 1970 of `20261225`, whatever time follows; null where that is no date. */
export function dayOf(text: string): number | null {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T\d{6}Z?)?$/.exec(text);
  if (match === null) return null;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const ms = Date.UTC(year, month - 1, day);
  const date = new Date(ms);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return year < 1900 ? null : ms / DAY_MS;
}

/** Days since 1970; a month or a day beyond its range counts on. */
export function dayNumber(year: number, month: number, day: number): number {
  return Date.UTC(year, month, day) / DAY_MS;
}

/** 0 for Sunday: 1970 began on a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

export function dateOf(day: number): Date {
  return new Date(day * DAY_MS);
}

/** `2026-12-25`. */
export function isoDay(day: number): string {
  return dateOf(day).toISOString().slice(0, 10);
}

/** Days as few entries: neighbours are one range. */
export function rangesOf(days: Iterable<number>): string[] {
  const sorted = [...new Set(days)].sort((a, b) => a - b);
  const ranges: string[] = [];
  for (let i = 0; i < sorted.length; i++) {
    const first = sorted[i] as number;
    let last = first;
    while (sorted[i + 1] === last + 1) last = sorted[++i] as number;
    ranges.push(first === last ? isoDay(first) : `${isoDay(first)}/${isoDay(last)}`);
  }
  return ranges;
}
