/**
 * How long something takes, in milliseconds. The fastest of a few: a machine that is busy with
 * something else makes single ones slow.
 */
export function fastestMs(run: () => unknown): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let count = 0; count < 5; count++) {
    const start = performance.now();
    run();
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest;
}
