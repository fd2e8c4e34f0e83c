import { type Effect, PLAIN, RunIdWriter, refOf, type ToWorker } from '@signalbox/engine';
import type { InputResolver, ResolvedInput } from '../inputs/input-resolver.ts';
import type { CommitLoop } from '../loop/index.ts';
import type { SecretError, SecretReader } from '../secrets/secret-reader.ts';
import type { AttemptSpans } from '../tracing/attempt-spans.ts';
import { assignFrame, secretsOf } from './assign-frame.ts';
import type { Confirmed } from './confirmed.ts';
import { FrameBatch } from './frame-batch.ts';
import type { WorkerSession } from './session.ts';
import { toFrame } from './to-frame.ts';
import { toWire } from './wire-ref.ts';

/** Turns effects into frames, and records what was sent in each session. */
export class Outgoing {
  readonly #loop: CommitLoop;
  readonly #confirmed: Confirmed;
  readonly #spans: AttemptSpans | null;
  readonly #now: () => number;
  readonly #resolver: InputResolver;
  readonly #secrets: SecretReader | null;
  readonly #ids = new RunIdWriter();

  constructor(params: {
    loop: CommitLoop;
    confirmed: Confirmed;
    spans: AttemptSpans | null;
    now: () => number;
    resolver: InputResolver;
    secrets: SecretReader | null;
  }) {
    this.#loop = params.loop;
    this.#confirmed = params.confirmed;
    this.#spans = params.spans;
    this.#now = params.now;
    this.#resolver = params.resolver;
    this.#secrets = params.secrets;
  }

  /** A worker without a link hears of it when it is back; that a result was taken is kept in mind. */
  unsent(effect: ToWorker): void {
    if (effect.kind === 'confirm') this.#confirmed.add(effect.worker, toWire(effect.ref));
  }

  add(batch: FrameBatch, session: WorkerSession, effect: ToWorker): void {
    switch (effect.kind) {
      case 'assign':
        return this.#assign(batch, session, effect);
      case 'confirm':
        return this.#confirm(batch, session, effect);
      case 'stale': {
        const ref = toWire(effect.ref);
        session.forget(ref);
        // The same result twice in one commit: the second finds nothing, but it was taken (h67).
        if (this.#confirmed.has(effect.worker, ref)) return batch.confirm(ref);
        session.refused(effect.worker, ref);
        return batch.push({ kind: 'stale', ref });
      }
      default:
        return batch.push(toFrame(effect, this.#now()));
    }
  }

  #confirm(batch: FrameBatch, session: WorkerSession, effect: Effect & { kind: 'confirm' }): void {
    const ref = toWire(effect.ref);
    this.#confirmed.add(effect.worker, ref);
    const attempt = session.forget(ref);
    if (attempt !== null) this.#spans?.ended(attempt, this.#now());
    batch.confirm(ref);
  }

  #assign(batch: FrameBatch, session: WorkerSession, effect: Effect & { kind: 'assign' }): void {
    const { attempt, worker } = effect;
    if (!session.isFor(attempt)) return;
    const { task } = attempt;
    // Most tasks receive the run's input and have no parents.
    const isPlain = task.spec.step === PLAIN && task.spec.after.length === 0 && task.part === null;
    const resolved = isPlain
      ? { input: task.run.input, parents: null }
      : this.#resolver.resolve(task);
    if ('error' in resolved) return this.#cannotSend(effect, resolved.error);
    const names = secretsOf(this.#loop, attempt);
    if (!(resolved instanceof Promise) && names.length === 0) {
      return this.#frame(batch, session, { effect, resolved, secrets: null });
    }
    const secrets = names.length === 0 ? null : this.#readSecrets(task.run.spec.tenant, names);
    Promise.all([resolved, secrets]).then(
      ([input, values]) => {
        if (!session.isFor(attempt) || this.#isStopped(effect)) return;
        if (isSecretError(values)) return this.#cannotSend(effect, values.error);
        const later = new FrameBatch();
        this.#frame(later, session, { effect, resolved: input, secrets: values });
        session.send(later.frames);
      },
      () => {
        if (!session.isFor(attempt) || this.#isStopped(effect)) return;
        // The store or the blob store cannot be read: queued again now. Left to the worker's time to accept,
        // it would count against a worker that never got it, and three of them cordon the worker.
        this.#loop.report({ kind: 'refuse', worker, ref: refOf(attempt), foreignUse: null });
      },
    );
  }

  #readSecrets(tenant: string, names: readonly string[]) {
    return this.#secrets?.read(tenant, names) ?? { error: 'this node has no secrets' };
  }

  /**
   * The attempt was stopped or superseded before it was sent. A worker does not answer an `abort` of an attempt that
   * it never received, so the stop is reported here; otherwise task and slot would wait for the whole grace period.
   */
  #isStopped({ worker, attempt }: Effect & { kind: 'assign' }): boolean {
    if (attempt.task.attempt === attempt && attempt.stopAt === 0) return false;
    const result = { kind: 'stopped' } as const;
    this.#loop.report({ kind: 'finish', worker, ref: refOf(attempt), result });
    return true;
  }

  #frame(
    batch: FrameBatch,
    session: WorkerSession,
    params: { effect: Effect & { kind: 'assign' }; resolved: ResolvedInput; secrets: Secrets },
  ): void {
    const { effect, resolved, secrets } = params;
    const { attempt } = effect;
    const frame = assignFrame({
      attempt,
      loop: this.#loop,
      now: this.#now(),
      resolved,
      ids: this.#ids,
      trace: this.#spans === null ? attempt.task.run.head.trace : this.#spans.traceOf(attempt),
      secrets,
    });
    if (typeof frame === 'string') return this.#cannotSend(effect, frame);
    session.assigned(attempt, frame.ref);
    this.#spans?.dispatched(effect, this.#now());
    batch.push(frame);
  }

  /** No worker can ever receive the attempt: it fails with a reason instead of being retried endlessly. */
  #cannotSend({ worker, attempt }: Effect & { kind: 'assign' }, error: string): void {
    const result = { kind: 'failed', error, class: 'permanent' } as const;
    this.#loop.report({ kind: 'finish', worker, ref: refOf(attempt), result });
  }
}

type Secrets = ReadonlyMap<string, string> | null;

function isSecretError(values: Secrets | SecretError): values is SecretError {
  return values !== null && 'error' in values;
}
