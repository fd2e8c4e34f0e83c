/** The dice that a command may use; handed in, so that the same seed decides the same. */
export interface Random {
  /** A float in [0, 1). */
  next(): number;
}

/** sfc32: small, quick, passes the usual batteries; one stream per concern. */
export function seededRandom(seed: number): Random & { int(below: number): number } {
  let a = 0x9e3779b9 ^ seed;
  let b = 0x243f6a88 ^ Math.imul(seed, 0x85ebca6b);
  let c = 0xb7e15162;
  let d = 1;
  const nextInt = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i++) nextInt();
  const next = (): number => nextInt() / 4294967296;
  return { next, int: (below) => Math.floor(next() * below) };
}
