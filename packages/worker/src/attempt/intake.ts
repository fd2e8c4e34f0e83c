import type { Ref } from '@signalbox/protocol/link';
import type { Link } from '../link/link.ts';
import { FastHandlers } from './fast-handlers.ts';
import type { HeldAttempt } from './held-attempt.ts';

/**
 * The attempts of one message from a node: accepted in one frame, then started. The frame is sent before a
 * handler can block the event loop, unless all of the handlers are fast: then one turn later, without the
 * attempts that have ended.
 */
export class Intake {
  readonly #fast = new FastHandlers();
  #accepted: HeldAttempt[] = [];
  #waiting: HeldAttempt[] = [];

  /** Call before the frames of a message are handled. */
  begin(): void {
    this.#fast.turnEnded();
  }

  accept(held: HeldAttempt): void {
    this.#accepted.push(held);
  }

  acceptAndStart(held: HeldAttempt): void {
    this.#accepted.push(held);
    this.#waiting.push(held);
  }

  /** All frames of the message have been handled. */
  end(link: Link, start: (held: HeldAttempt) => void): void {
    const accepted = this.#accepted;
    const waiting = this.#waiting;
    this.#accepted = [];
    this.#waiting = [];
    const executors = new Set<string>();
    for (const { assign } of waiting) executors.add(assign.executor);
    const areFast = [...executors].every((executor) => this.#fast.has(executor));
    if (areFast && accepted.length > 0) {
      setImmediate(() => {
        this.#fast.turnEnded();
        sendAccept(link, accepted);
      });
    }
    if (!areFast) {
      sendAccept(link, accepted);
      link.flush();
    }
    for (const held of waiting) {
      const startedAt = performance.now();
      start(held);
      this.#fast.started(held.assign.executor, performance.now() - startedAt);
    }
    if (areFast) this.#fast.turnStarted(executors);
  }
}

/** The result of an attempt that has ended meanwhile implies its acceptance. */
function sendAccept(link: Link, accepted: readonly HeldAttempt[]): void {
  const refs: Ref[] = [];
  for (const held of accepted) if (!held.isOver) refs.push(held.ref);
  if (refs.length > 0) link.send({ kind: 'accept', refs });
}
