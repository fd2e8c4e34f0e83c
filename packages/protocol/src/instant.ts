const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const DATE_CHARS = 10;

/**
 * The milliseconds of an instant in ISO 8601, or of a date, which is its midnight in UTC; null for
 * what is neither. A time without a zone is neither: it would mean another instant on each machine.
 */
export function instantMs(text: unknown): number | null {
  if (typeof text !== 'string' || !(DATE.test(text) || DATE_TIME.test(text))) return null;
  const ms = Date.parse(text);
  const date = text.slice(0, DATE_CHARS);
  const midnight = Date.parse(date);
  if (Number.isNaN(ms) || Number.isNaN(midnight)) return null;
  // `Date.parse` takes 30 February for 2 March.
  return new Date(midnight).toISOString().startsWith(date) ? ms : null;
}
