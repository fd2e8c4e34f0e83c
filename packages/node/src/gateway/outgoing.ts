import { type Effect, refOf } from '@signalbox/engine';
import type { FromNode } from '@signalbox/protocol';
import type { CommitLoop } from '../loop/index.ts';
import { assignFrame } from './assign-frame.ts';
import type { AttemptSpans } from './attempt-spans.ts';
import type { Confirmed } from './confirmed.ts';
import type { WorkerSession } from './session.ts';
import { type ToWorker, toFrame } from './to-frame.ts';
import { toWire } from './wire-ref.ts';

/** Turns effects into frames, and keeps in mind what each link was told. */
export class Outgoing {
  readonly #loop: CommitLoop;
  readonly #confirmed: Confirmed;
  readonly #spans: AttemptSpans | null;
  readonly #now: () => number;

  constructor(params: {
    loop: CommitLoop;
    confirmed: Confirmed;
    spans: AttemptSpans | null;
    now: () => number;
  }) {
    this.#loop = params.loop;
    this.#confirmed = params.confirmed;
    this.#spans = params.spans;
    this.#now = params.now;
  }

  /** Null where there is nothing to be sent, or no link to send it on. */
  frameOf(session: WorkerSession | undefined, effect: ToWorker): FromNode | null {
    // Also where the worker is away: it says the result again when it is back (h67).
    if (effect.kind === 'confirm') this.#confirmed.add(effect.worker, toWire(effect.ref));
    return session === undefined ? null : this.#onLink(session, effect);
  }

  #onLink(session: WorkerSession, effect: ToWorker): FromNode | null {
    switch (effect.kind) {
      case 'assign':
        return this.#assign(session, effect);
      case 'confirm': {
        const attempt = session.forget(effect);
        if (attempt !== null) this.#spans?.ended(attempt, this.#now());
        return toFrame(effect, this.#now());
      }
      case 'stale': {
        session.forget(effect);
        // The same result twice in one commit: the second finds nothing, but it was taken (h67).
        const taken = this.#confirmed.has(effect.worker, toWire(effect.ref));
        return toFrame(taken ? { ...effect, kind: 'confirm' } : effect, this.#now());
      }
      default:
        return toFrame(effect, this.#now());
    }
  }

  #assign(session: WorkerSession, effect: Effect & { kind: 'assign' }): FromNode | null {
    const { attempt } = effect;
    if (!session.isFor(attempt)) return null;
    const frame = assignFrame({ attempt, loop: this.#loop, now: this.#now() });
    if (typeof frame === 'string') {
      this.#cannotSend(effect, frame);
      return null;
    }
    session.given(attempt, frame.ref);
    this.#spans?.dispatched(effect, this.#now());
    return frame;
  }

  /** No worker could ever be given it: it ends with a reason, or it would be tried for ever. */
  #cannotSend({ worker, attempt }: Effect & { kind: 'assign' }, error: string): void {
    const result = { kind: 'failed', error, class: 'permanent' } as const;
    this.#loop.report({ kind: 'finish', worker, ref: refOf(attempt), result });
  }
}
