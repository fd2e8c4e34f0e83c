/** What came over the link is no batch of frames, or a frame in it cannot be read. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
  /** A worker says of itself what cannot be: it has to change before it comes back. */
  readonly isOfHello: boolean;

  constructor(message: string, { isOfHello = false }: { isOfHello?: boolean } = {}) {
    super(message);
    this.isOfHello = isOfHello;
  }
}
