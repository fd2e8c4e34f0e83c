/** A handler in a file of its own, for tests of isolation. */
export function doubled(input: { n: number }): number {
  return input.n * 2;
}
