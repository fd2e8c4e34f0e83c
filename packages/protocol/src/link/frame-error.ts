/** What came over the link is no batch of frames, or a frame in it cannot be read. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
  /** The hello is invalid: reconnecting helps only after the worker has changed. */
  readonly isOfHello: boolean;

  constructor(message: string, { isOfHello = false }: { isOfHello?: boolean } = {}) {
    super(message);
    this.isOfHello = isOfHello;
  }
}
