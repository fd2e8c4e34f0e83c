/** The name that stands for all that came after the bound was reached. */
export const OTHER = 'other';

/**
 * Keeps the values of a label few: every new value is a new series for each metric that has the
 * label, for as long as the process lives, and names of tenants and zones are other people's text.
 */
export function boundedLabel(max: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= max) return OTHER;
    known.add(value);
    return value;
  };
}
