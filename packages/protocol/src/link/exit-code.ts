export const EXIT_CODE_MIN = -2_147_483_648;
export const EXIT_CODE_MAX = 4_294_967_295;

/** A whole number of 32 bits, signed or not: threads end with -1, and some systems use all 32 bits. */
export function isExitCode(value: unknown): value is number {
  const isWhole = Number.isInteger(value);
  return isWhole && (value as number) >= EXIT_CODE_MIN && (value as number) <= EXIT_CODE_MAX;
}
