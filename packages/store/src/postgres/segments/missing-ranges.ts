export interface Range {
  readonly from: number;
  /** Not part of the range. */
  readonly to: number;
}

/**
 * The ranges to create so that every point from `first` to `last` lies in a range: cells of the grid of
 * `width`, shortened where they would overlap an existing range. Ranges that were created with another
 * width stay as they are.
 */
export function missingRanges(params: {
  existing: readonly Range[];
  first: number;
  last: number;
  width: number;
}): Range[] {
  const { existing, first, last, width } = params;
  const missing: Range[] = [];
  let at = first;
  while (at <= last) {
    const there = existing.find(({ from, to }) => from <= at && at < to);
    if (there !== undefined) {
      at = there.to;
      continue;
    }
    const gridFrom = Math.floor(at / width) * width;
    let from = gridFrom;
    let to = gridFrom + width;
    for (const other of existing) {
      if (other.to <= at) from = Math.max(from, other.to);
      if (other.from > at) to = Math.min(to, other.from);
    }
    missing.push({ from, to });
    at = to;
  }
  return missing;
}
