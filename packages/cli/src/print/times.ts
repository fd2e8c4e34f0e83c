const STEPS: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** `just now`, `12s ago`, `3h ago`, `in 5m`. */
export function relative(at: string | null | undefined, now: number): string {
  if (at === null || at === undefined) return '';
  const ms = now - Date.parse(at);
  if (Number.isNaN(ms)) return at;
  if (Math.abs(ms) < 1_000) return 'just now';
  const size = coarse(Math.abs(ms));
  return ms > 0 ? `${size} ago` : `in ${size}`;
}

/** Between two instants, or until now where the second is missing. */
export function elapsed(from: string | null, until: string | null, now: number): string {
  if (from === null) return '';
  return span((until === null ? now : Date.parse(until)) - Date.parse(from));
}

/** `42 ms`, `3.2 s`, `5m 7s`, `2h 4m`. */
export function span(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1_000) return `${whole} ms`;
  if (whole < 60_000) return `${(whole / 1_000).toFixed(1)} s`;
  const at = STEPS.findIndex(([, size]) => whole >= size);
  const [unit, size] = STEPS[at] as readonly [string, number];
  const [nextUnit, nextSize] = STEPS[at + 1] as readonly [string, number];
  const rest = Math.floor((whole % size) / nextSize);
  return `${Math.floor(whole / size)}${unit}${rest === 0 ? '' : ` ${rest}${nextUnit}`}`;
}

function coarse(ms: number): string {
  const [unit, size] = STEPS.find(([, step]) => ms >= step) ?? ['s', 1_000];
  return `${Math.floor(ms / size)}${unit}`;
}
