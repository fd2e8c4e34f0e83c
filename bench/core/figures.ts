/** The value below which the given fraction of the sorted list lies. */
export function percentile(sorted: readonly number[], fraction: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? 0;
  return Math.round(value * 1_000) / 1_000;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export function rssMb(): number {
  return Math.round(process.memoryUsage().rss / 1_048_576);
}

/** Collects garbage where the process was started with --expose-gc. */
export function collectGarbage(): void {
  for (let i = 0; i < 4; i++) (globalThis as { gc?: () => void }).gc?.();
}
