import { CLOSE, FrameError, type FromWorker, readAllFromWorker } from '@signalbox/protocol';
import type { Session } from './peer.ts';

/**
 * A link within the process carries objects, and a handler can put any number into them: what a
 * socket could not carry or would refuse is refused here, or it would reach the journal.
 */
export function checkFrames(
  session: Session & { close(code: number, reason: string): void },
): Session {
  return {
    receive: (frames) => {
      try {
        session.receive(readAllFromWorker(frames as readonly FromWorker[]));
      } catch (error) {
        if (!(error instanceof FrameError)) throw error;
        session.close(error.isOfHello ? CLOSE.invalid : CLOSE.protocol, error.message);
      }
    },
    closed: () => session.closed(),
  };
}
