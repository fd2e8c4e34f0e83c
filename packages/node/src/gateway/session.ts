/*
 * Session of a worker: one per connection, over a socket (worker-socket.ts) or in process (in-process.ts).
 *
 *   new ── hello accepted ──► attached ── hello again ──► attached (state resent)
 *    │                           │
 *    │ no hello in time,         │ bye, connection lost, silence, protocol error,
 *    │ refused, stop             │ buffer full, replaced by a new connection, stop
 *    └───────────► closed ◄──────┘            (final)
 *
 * Called by: the connection with frames (`receive`, `closed`), `Outgoing` with effects of the loop (`send`, `given`,
 * `forget`), `SilenceWatch` (`close`). It decides nothing about attempts: frames become commands of the loop.
 * Atomic: the commands of one message reach the loop in one mail, except that `hello` and `drain` first send what
 * precedes them. Nothing here is durable; `hello` lists the attempts that the worker holds.
 * Can fail: a full mailbox drops the mail. Only `accept` and `refuse` are kept for the next message, because a worker
 * does not repeat them.
 */
import type { Attempt, Command, ToWorker, WorkerInfo } from '@signalbox/engine';
import {
  CLOSE,
  type FromNode,
  type FromWorker,
  PAYLOAD_INLINE_MAX,
  type Ref,
  RefMap,
  type Unreadable,
} from '@signalbox/protocol';
import type { RefusedReport, ReportKind } from '../operations/audit/refused-reports.ts';
import { type Hello, infoOf } from './hello.ts';
import type { Peer, Session } from './peer.ts';
import { DoubtfulReports } from './refused-report.ts';
import type { SessionHost } from './session-host.ts';
import { toCommand } from './to-command.ts';
import { fromWire, liveAttempt, maySayStale } from './wire-ref.ts';

type State = 'new' | 'attached' | 'closed';

interface SentAttempt {
  readonly attempt: Attempt;
  readonly ref: Ref;
  /** The worker has accepted or reported on the attempt, so it has received it. */
  received: boolean;
}

const decoder = new TextDecoder();

/** The session of one connection with one worker; the header of this file has its states. */
export class WorkerSession implements Session {
  readonly #host: SessionHost;
  readonly #peer: Peer;
  readonly #helloTimer: NodeJS.Timeout;
  /** Attempts that were sent on this connection and not yet confirmed or withdrawn. */
  readonly #sent = new RefMap<SentAttempt>();
  readonly #doubtful: DoubtfulReports;
  /** Commands of the message that is being read. */
  #commands: Command[] = [];
  #state: State = 'new';
  #info: WorkerInfo | null = null;
  /** The worker knows that it drains: it asked for it, or has received `drain`. */
  #knowsDrain = false;
  heardAtMs: number;
  /** Time of the last `hello`, or of the last request for one. */
  statedAtMs = 0;

  constructor(host: SessionHost, peer: Peer) {
    this.#host = host;
    this.#peer = peer;
    this.#doubtful = new DoubtfulReports(host.loop.engine);
    this.heardAtMs = host.monotonicMs();
    this.#helloTimer = setTimeout(
      () => this.close(CLOSE.unauthenticated, 'the worker sent no hello in time'),
      host.limits.helloMs,
    );
    this.#helloTimer.unref();
  }

  /** From the last `hello`; null before it. The engine's record holds the same object. */
  get info(): WorkerInfo | null {
    return this.#info;
  }

  receive(frames: readonly (FromWorker | Unreadable)[]): void {
    this.heardAtMs = this.#host.monotonicMs();
    for (const frame of frames) {
      if (this.#state === 'closed') return;
      if (frame.kind === 'hello') this.#hello(frame);
      else if (this.#info === null) this.close(CLOSE.protocol, 'the first frame must be hello');
      else this.#take(this.#info.name, frame);
    }
    this.#report();
  }

  closed(): void {
    this.#end(false);
  }

  close(code: number, reason: string): void {
    if (this.#state === 'closed') return;
    this.#end(false);
    this.#peer.close(code, reason);
  }

  send(frames: readonly FromNode[]): void {
    if (this.#state === 'closed') return;
    this.#peer.send(frames);
    if (this.#peer.bufferedBytes <= this.#host.limits.bufferedBytesMax) return;
    this.#host.log.warn(
      {
        event: 'worker.disconnected',
        worker: this.#info?.name,
        reason: 'the worker reads too slowly',
      },
      'worker disconnected',
    );
    this.close(CLOSE.tooFast, 'the worker reads too slowly');
  }

  /** False for an assignment to an earlier record: the engine withdraws it when it reads the `hello`. */
  isFor(attempt: Attempt): boolean {
    return attempt.worker !== null && attempt.worker.info === this.#info;
  }

  assigned(attempt: Attempt, ref: Ref): void {
    this.#sent.set(ref, { attempt, ref, received: false });
  }

  /** True if the effect is the first sign, for this worker, of a drain that somebody else ordered. */
  learnsOfDrain(effect: ToWorker): boolean {
    if (effect.kind === 'assign') this.#knowsDrain = false;
    const drains =
      effect.kind === 'drained' || (effect.kind === 'abort' && effect.why === 'drained');
    if (!drains || this.#knowsDrain) return false;
    this.#knowsDrain = true;
    return true;
  }

  /** Removes an attempt that the worker is told to forget; returns it if it was sent on this connection. */
  forget(ref: Ref): Attempt | null {
    return this.#sent.delete(ref)?.attempt ?? null;
  }

  /** The engine calls the attempt stale, which refuses a report only if the worker has sent one. */
  refused(worker: string, ref: Ref): void {
    const doubt = this.#doubtful.take(ref);
    if (doubt !== undefined) this.#audit({ worker, ref, ...doubt });
  }

  #audit(report: Omit<RefusedReport, 'origin'>): void {
    this.#host.reportRefused({ ...report, origin: this.#peer.origin ?? null });
  }

  #doubt(worker: string, report: ReportKind, about: { ref: Ref; attempt: Attempt | null }): void {
    const ignored = this.#doubtful.note(worker, report, about);
    if (ignored !== null) this.#audit({ worker, ref: about.ref, ...ignored });
  }

  #hello(hello: Hello): void {
    const info = infoOf(hello);
    const before = this.#info;
    if (before !== null && (before.name !== info.name || before.instance !== info.instance)) {
      return this.close(CLOSE.invalid, 'a connection belongs to one worker; hello named another');
    }
    if (!this.#host.mayAttach(this, hello)) return;
    this.#report();
    clearTimeout(this.#helloTimer);
    this.#state = 'attached';
    this.#info = info;
    this.statedAtMs = this.heardAtMs;
    this.#host.attach(this, { info, foreignUse: hello.foreignUse, holds: this.#holds(hello) });
  }

  /**
   * Includes attempts that were sent before this `hello` arrived: connections keep their order, so the worker will
   * receive them. Without them the engine would consider them lost and assign them again.
   */
  #holds(hello: Hello): ReturnType<typeof fromWire>[] {
    const holds = new RefMap<Ref>();
    for (const ref of hello.holds) holds.set(ref, ref);
    for (const { ref, received } of this.#sent.values()) if (!received) holds.set(ref, ref);
    return [...holds.values()].map(fromWire);
  }

  #take(name: string, frame: Exclude<FromWorker, Hello> | Unreadable): void {
    switch (frame.kind) {
      case 'beat':
        this.#tidy();
        this.#host.heard(this);
        return this.#add(toCommand(name, frame));
      case 'accept':
        return this.#accept(name, frame.refs);
      case 'refuse':
        this.#sent.delete(frame.ref);
        return this.#add(toCommand(name, frame));
      case 'finish':
        return this.#finish(name, frame);
      case 'checkpoint':
        if (frame.state.length > PAYLOAD_INLINE_MAX) return this.#ignore(name, frame);
        this.#doubt(name, frame.kind, { ref: frame.ref, attempt: null });
        return this.#add(toCommand(name, frame));
      case 'extend':
        this.#doubt(name, frame.kind, { ref: frame.ref, attempt: null });
        return this.#add(toCommand(name, frame));
      case 'log':
        return this.#log(name, frame);
      case 'unreadable':
        return this.#failUnreadable(name, frame);
      case 'drain':
        this.#knowsDrain = true;
        this.#report();
        return this.#host.drainItself(name);
      case 'bye':
        this.#end(true);
        return this.#peer.close(1000, 'bye');
      default:
        return this.#unknown(frame);
    }
  }

  #add(command: Command): void {
    this.#commands.push(command);
  }

  /** Sends the commands of one message to the loop together: a mail costs more than a command. */
  #report(): void {
    if (this.#commands.length === 0) return;
    const commands = this.#commands;
    // Without its acceptance a running attempt would be withdrawn, and run a second time elsewhere.
    this.#commands = this.#host.loop.report(commands) ? [] : commands.filter(isSentOnce);
  }

  #accept(name: string, refs: readonly Ref[]): void {
    for (const ref of refs) {
      const sent = this.#sent.get(ref);
      if (sent !== undefined) sent.received = true;
      this.#doubt(name, 'accept', { ref, attempt: sent?.attempt ?? null });
      this.#add({ kind: 'accept', worker: name, ref: fromWire(ref) });
    }
  }

  #finish(name: string, frame: FromWorker & { kind: 'finish' }): void {
    if (this.#host.confirmed.has(name, frame.ref)) {
      return this.send([{ kind: 'confirm', refs: [frame.ref] }]);
    }
    const attempt = this.#find(name, frame.ref);
    this.#doubt(name, frame.kind, { ref: frame.ref, attempt });
    this.#add(toCommand(name, frame));
  }

  /** The worker would repeat the same invalid frame, so the attempt fails with the reason. */
  #failUnreadable(name: string, { ref, field }: Unreadable): void {
    const error = `the worker sent an invalid ${field}`;
    this.#host.log.warn({ event: 'frame.rejected', worker: name, field }, 'frame cannot be read');
    this.#find(name, ref);
    const result = { kind: 'failed', error, class: 'permanent' } as const;
    this.#add({ kind: 'finish', worker: name, ref: fromWire(ref), result });
    // The attempt may still run: a confirmation alone would not stop it.
    if (maySayStale(this.#host.loop.engine, ref)) this.send([{ kind: 'stale', ref }]);
  }

  #log(name: string, frame: FromWorker & { kind: 'log' }): void {
    const attempt = this.#find(name, frame.ref);
    if (attempt === null) {
      // The engine replies `stale`: the worker may still reserve a slot for the attempt.
      const late = this.#host.confirmed.has(name, frame.ref);
      if (late) return;
      this.#doubt(name, frame.kind, { ref: frame.ref, attempt });
      this.#add({ kind: 'accept', worker: name, ref: fromWire(frame.ref) });
      return;
    }
    const { task, number } = attempt;
    const { ms, partition, seq, spec } = task.run;
    this.#host.logs.append({
      tenant: spec.tenant,
      run: { ms, partition, seq },
      task: task.index,
      attempt: number,
      number: frame.number,
      stream: frame.stream,
      text: decoder.decode(frame.text),
    });
  }

  /** An attempt that was sent on this connection, or a live one that the worker holds since an earlier one. */
  #find(name: string, ref: Ref): Attempt | null {
    const sent = this.#sent.get(ref);
    if (sent !== undefined) {
      sent.received = true;
      return sent.attempt;
    }
    const attempt = liveAttempt(this.#host.loop.engine, name, ref);
    if (attempt !== null) this.#sent.set(ref, { attempt, ref, received: true });
    return attempt;
  }

  /** Removes superseded attempts, which would otherwise stay here as long as the connection. */
  #tidy(): void {
    for (const { attempt, ref } of [...this.#sent.values()]) {
      if (attempt.task.attempt !== attempt) this.#sent.delete(ref);
    }
  }

  #ignore(name: string, frame: FromWorker): void {
    this.#host.log.warn(
      { event: 'frame.ignored', worker: name, frame: frame.kind },
      'payload too large, frame ignored',
    );
  }

  /** Frames from a socket are checked before; in-process connections may send anything. */
  #unknown(frame: never): void {
    void frame;
    this.close(CLOSE.protocol, 'unknown frame');
  }

  #end(inGoodOrder: boolean): void {
    if (this.#state === 'closed') return;
    // Frames before the end still count.
    this.#report();
    this.#state = 'closed';
    clearTimeout(this.#helloTimer);
    this.#sent.clear();
    this.#host.ended(this, inGoodOrder);
  }
}

/** Frames that a worker does not repeat: if a full mailbox drops them, they go with the next message. */
function isSentOnce({ kind }: Command): boolean {
  return kind === 'accept' || kind === 'refuse';
}
