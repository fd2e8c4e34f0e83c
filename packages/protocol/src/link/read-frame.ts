import {
  isProgress,
  isRef,
  isWhole,
  LIST_MAX,
  nodeFrameProblem,
  workerFrameProblem,
} from './check.ts';
import { FrameError } from './frame-error.ts';
import type { About, FromNode, FromWorker, Unreadable } from './frames.ts';

type Frame = Readonly<Record<string, unknown>>;

/** Reads a frame of a worker into a list: an unreadable entry of a beat is a frame of its own. */
export function readFromWorker(frame: Frame, into: (FromWorker | Unreadable)[]): void {
  const wrong = workerFrameProblem(frame);
  if (wrong === null) into.push(frame as unknown as FromWorker);
  else if (wrong === 'beat.progress') splitBeat(frame, into);
  else into.push(unreadable(frame, wrong));
}

/** The list itself where all of its frames can be read, which are then not copied. */
export function readAllFromWorker(
  frames: readonly FromWorker[],
): readonly (FromWorker | Unreadable)[] {
  const wrong = (frame: FromWorker) =>
    !isUsualFinish(frame) && workerFrameProblem(frame as unknown as Frame) !== null;
  if (!frames.some(wrong)) return frames;
  const read: (FromWorker | Unreadable)[] = [];
  for (const frame of frames) readFromWorker(frame as unknown as Frame, read);
  return read;
}

/** Nearly every frame within a process; much faster than the whole check. */
function isUsualFinish(frame: FromWorker): boolean {
  if (frame.kind !== 'finish' || frame.result?.kind !== 'succeeded') return false;
  const { output, result } = frame;
  const isPlain = result.exitCode === undefined && isWhole(result.durationMs);
  return isPlain && (output === null || output instanceof Uint8Array) && isRef(frame.ref);
}

/** Reads the frames of a node: `about` is what the assignments behind it have in common. */
export class NodeFrameReader {
  /** A text names the field that cannot be read: each assignment about it is unreadable too. */
  readonly #abouts: (About | string)[] = [];
  readonly frames: (FromNode | Unreadable)[] = [];

  read(frame: Record<string, unknown>): void {
    if (frame['kind'] === 'about') this.#abouts.push(readAbout(frame));
    else this.frames.push(frame['kind'] === 'assign' ? this.#assign(frame) : readFromNode(frame));
  }

  #assign(frame: Record<string, unknown>): FromNode | Unreadable {
    const number = frame['about'];
    const about = typeof number === 'number' ? this.#abouts[number] : undefined;
    if (typeof about === 'string') return unreadable(frame, about);
    frame['about'] = about;
    return readFromNode(frame);
  }
}

function readAbout(frame: Frame): About | string {
  const wrong = nodeFrameProblem(frame);
  if (wrong !== null) return wrong;
  const { kind: _, ...about } = frame;
  return about as unknown as About;
}

function readFromNode(frame: Frame): FromNode | Unreadable {
  const wrong = nodeFrameProblem(frame);
  return wrong === null ? (frame as unknown as FromNode) : unreadable(frame, wrong);
}

/** Throws on the first frame that cannot be read, as a conformance suite needs. */
export function requireReadable<Frame extends { readonly kind: string }>(
  frames: readonly (Frame | Unreadable)[],
): Frame[] {
  return frames.map((frame) => {
    if (frame.kind === 'unreadable' && 'field' in frame) {
      throw new FrameError(`${frame.field} is not valid`);
    }
    return frame as Frame;
  });
}

/** The field of an `about` that no worker would read, as `about.graceMs`; null where there is none. */
export function aboutProblem(about: About): string | null {
  return nodeFrameProblem({ kind: 'about', ...about });
}

/** What is wrong with the frame of one attempt fails that attempt; anything else ends the link. */
function unreadable(frame: Frame, field: string): Unreadable {
  const { ref } = frame;
  if (!isRef(ref)) {
    throw new FrameError(`${field} is not valid`, { isOfHello: frame['kind'] === 'hello' });
  }
  return { kind: 'unreadable', ref, field };
}

/** One bad value among the progress of many attempts does not fail the others. */
function splitBeat(frame: Frame, into: (FromWorker | Unreadable)[]): void {
  const { progress } = frame;
  if (!Array.isArray(progress) || progress.length > LIST_MAX) {
    throw new FrameError('beat.progress is not valid');
  }
  into.push({ ...frame, progress: progress.filter(isProgress) } as unknown as FromWorker);
  for (const each of progress) {
    if (!isProgress(each)) into.push(unreadable((each ?? {}) as Frame, 'beat.progress.value'));
  }
}
