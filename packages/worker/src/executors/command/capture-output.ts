/** Keeps the first bytes of the standard output: the output of the task. */
export class OutputCapture {
  readonly #chunks: Buffer[] = [];
  readonly #bytesMax: number;
  #bytes = 0;
  total = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(chunk: Buffer): void {
    this.total += chunk.length;
    const room = this.#bytesMax - this.#bytes;
    if (room <= 0) return;
    const part = chunk.length <= room ? chunk : chunk.subarray(0, room);
    this.#chunks.push(Buffer.from(part));
    this.#bytes += part.length;
  }

  get isCut(): boolean {
    return this.total > this.#bytes;
  }

  /** Null where nothing was printed. */
  bytes(): Uint8Array | null {
    return this.#bytes === 0 ? null : new Uint8Array(Buffer.concat(this.#chunks));
  }
}
