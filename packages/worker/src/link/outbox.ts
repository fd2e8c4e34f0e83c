import { type FromWorker, MESSAGE_BYTES_MAX } from '@signalbox/protocol/link';
import type { Pace } from './pace.ts';

/** Leaves space for the length of the header and its brackets. */
const BATCH_BYTES_MAX = MESSAGE_BYTES_MAX - 1_024;
const BATCH_FRAMES_MAX = 2_000;
/** This many frames are sent before the turn ends. */
const SOON_FRAMES = 128;
const FRAME_BYTES = 256;
/** Six numbers of at most sixteen digits. */
const REF_BYTES = 104;
/** A character of a JSON string may take six bytes: `\u001f`. */
const CHARACTER_BYTES = 6;
/** Delay before the next try when the rate limit is reached. */
const WAIT_MS = 2;

/**
 * Sends the frames of one turn as one message, because a message costs far more than a frame. A message that
 * would exceed the size limit is split, because the node would close the connection.
 */
export class Outbox {
  /** The rate limit of the connection, if it has one. */
  pace: Pace | null = null;
  #frames: FromWorker[] = [];
  #scheduled: NodeJS.Immediate | null = null;
  #waiting: NodeJS.Timeout | null = null;
  readonly #send: (frames: readonly FromWorker[]) => void;

  constructor(send: (frames: readonly FromWorker[]) => void) {
    this.#send = send;
  }

  /** Number of frames that are not sent yet. */
  get length(): number {
    return this.#frames.length;
  }

  send(frame: FromWorker): void {
    this.#frames.push(frame);
    if (this.#waiting !== null) return;
    // The node can start with the first results of a long turn before the last are ready.
    if (this.#frames.length >= SOON_FRAMES) this.flush();
    else this.#scheduled ??= setImmediate(() => this.flush());
  }

  flush(): void {
    this.#unschedule();
    if (this.#frames.length === 0) return;
    const frames = this.#frames;
    this.#frames = [];
    let sent = 0;
    for (const batch of batches(frames)) {
      if (this.pace !== null && !this.pace.take(batch)) {
        this.#frames = frames.slice(sent);
        this.#waiting = setTimeout(() => this.flush(), WAIT_MS);
        return;
      }
      const isWhole = batch.frames === frames.length;
      this.#send(isWhole ? frames : frames.slice(sent, sent + batch.frames));
      sent += batch.frames;
    }
  }

  /** Drops all frames: the connection is lost. */
  clear(): void {
    this.#frames = [];
    this.#unschedule();
  }

  #unschedule(): void {
    if (this.#scheduled !== null) clearImmediate(this.#scheduled);
    if (this.#waiting !== null) clearTimeout(this.#waiting);
    this.#scheduled = null;
    this.#waiting = null;
  }
}

/** The number of consecutive frames in each message, and the maximum size of the message. */
export function* batches(
  all: readonly FromWorker[],
): Generator<{ readonly frames: number; readonly bytes: number }> {
  let frames = 0;
  let bytes = 0;
  for (const frame of all) {
    const more = bytesAtMost(frame);
    if (frames > 0 && (bytes + more > BATCH_BYTES_MAX || frames === BATCH_FRAMES_MAX)) {
      yield { frames, bytes };
      frames = 0;
      bytes = 0;
    }
    frames += 1;
    bytes += more;
  }
  if (frames > 0) yield { frames, bytes };
}

/** An upper bound of the size on the wire; the exact size would mean encoding the frame twice. */
function bytesAtMost(frame: FromWorker): number {
  switch (frame.kind) {
    case 'finish':
      return (
        2 * FRAME_BYTES +
        (frame.output?.length ?? 0) +
        (frame.result.kind === 'failed' ? frame.result.error.length * CHARACTER_BYTES : 0)
      );
    case 'checkpoint':
      return FRAME_BYTES + frame.state.length;
    case 'log':
      return FRAME_BYTES + frame.text.length;
    case 'accept':
      return FRAME_BYTES + frame.refs.length * REF_BYTES;
    case 'beat':
      return (2 + frame.progress.length) * FRAME_BYTES;
    case 'hello':
      return Buffer.byteLength(JSON.stringify(frame));
    default:
      return 2 * FRAME_BYTES;
  }
}
