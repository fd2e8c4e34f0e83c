/** A message that is not a batch of known, well-formed frames. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}
