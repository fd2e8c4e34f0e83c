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

interface Given {
  readonly attempt: Attempt;
  readonly ref: Ref;
  /** Accepted, or heard of in another way: the worker has it. */
  answered: boolean;
}

const decoder = new TextDecoder();

/** One link with one worker: `new` until its `hello` was taken, `attached`, and `closed` for good. */
export class WorkerSession implements Session {
  readonly #host: SessionHost;
  readonly #peer: Peer;
  readonly #helloTimer: NodeJS.Timeout;
  /** What it was given here and has not been told to forget. */
  readonly #given = new RefMap<Given>();
  readonly #doubtful: DoubtfulReports;
  /** By the message that is being read. */
  #said: Command[] = [];
  #state: State = 'new';
  #info: WorkerInfo | null = null;
  /** It knows that it is being drained: it asked for it, or has been told. */
  #knowsDrain = false;
  heardAtMs: number;
  /** When it last said who it is, or was asked to. */
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

  /** What it said of itself last; null before its `hello`. The engine's record holds the same object. */
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

  /** False for an assignment of an earlier record: the engine takes it back when it reads the `hello`. */
  isFor(attempt: Attempt): boolean {
    return attempt.worker !== null && attempt.worker.info === this.#info;
  }

  given(attempt: Attempt, ref: Ref): void {
    this.#given.set(ref, { attempt, ref, answered: false });
  }

  /** True where the effect is the first that it hears of a drain which somebody else has ordered. */
  learnsOfDrain(effect: ToWorker): boolean {
    if (effect.kind === 'assign') this.#knowsDrain = false;
    const drains =
      effect.kind === 'drained' || (effect.kind === 'abort' && effect.why === 'drained');
    if (!drains || this.#knowsDrain) return false;
    this.#knowsDrain = true;
    return true;
  }

  /** The worker is told to forget the attempt; answers it where it was given here. */
  forget(ref: Ref): Attempt | null {
    return this.#given.delete(ref)?.attempt ?? null;
  }

  /** The engine calls the attempt stale. That is a refusal only if the worker has reported something of it. */
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
   * What was sent before this `hello` and crossed it on the way is held too: links keep their
   * order, so it arrives. Without it the engine would take it for lost and give it out again.
   */
  #holds(hello: Hello): ReturnType<typeof fromWire>[] {
    const holds = new RefMap<Ref>();
    for (const ref of hello.holds) holds.set(ref, ref);
    for (const { ref, answered } of this.#given.values()) if (!answered) holds.set(ref, ref);
    return [...holds.values()].map(fromWire);
  }

  #take(name: string, frame: Exclude<FromWorker, Hello> | Unreadable): void {
    switch (frame.kind) {
      case 'beat':
        this.#tidy();
        this.#host.heard(this);
        return this.#say(toCommand(name, frame));
      case 'accept':
        return this.#accept(name, frame.refs);
      case 'refuse':
        this.#given.delete(frame.ref);
        return this.#say(toCommand(name, frame));
      case 'finish':
        return this.#finish(name, frame);
      case 'checkpoint':
        if (frame.state.length > PAYLOAD_INLINE_MAX) return this.#ignore(name, frame);
        this.#doubt(name, frame.kind, { ref: frame.ref, attempt: null });
        return this.#say(toCommand(name, frame));
      case 'extend':
        this.#doubt(name, frame.kind, { ref: frame.ref, attempt: null });
        return this.#say(toCommand(name, frame));
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

  #say(command: Command): void {
    this.#said.push(command);
  }

  /** What one message says goes to the loop together: a piece of mail costs more than a command. */
  #report(): void {
    if (this.#said.length === 0) return;
    const said = this.#said;
    // Without its acceptance an attempt that runs would be taken back, and run a second time elsewhere.
    this.#said = this.#host.loop.report(said) ? [] : said.filter(isSaidOnce);
  }

  #accept(name: string, refs: readonly Ref[]): void {
    for (const ref of refs) {
      const given = this.#given.get(ref);
      if (given !== undefined) given.answered = true;
      this.#doubt(name, 'accept', { ref, attempt: given?.attempt ?? null });
      this.#say({ kind: 'accept', worker: name, ref: fromWire(ref) });
    }
  }

  #finish(name: string, frame: FromWorker & { kind: 'finish' }): void {
    if (this.#host.confirmed.has(name, frame.ref)) {
      return this.send([{ kind: 'confirm', refs: [frame.ref] }]);
    }
    const attempt = this.#find(name, frame.ref);
    this.#doubt(name, frame.kind, { ref: frame.ref, attempt });
    this.#say(toCommand(name, frame));
  }

  /** What the attempt means to say is lost, and would be sent again as it is: it fails with the reason. */
  #failUnreadable(name: string, { ref, field }: Unreadable): void {
    const error = `the worker sent an invalid ${field}`;
    this.#host.log.warn({ event: 'frame.rejected', worker: name, field }, 'frame cannot be read');
    this.#find(name, ref);
    const result = { kind: 'failed', error, class: 'permanent' } as const;
    this.#say({ kind: 'finish', worker: name, ref: fromWire(ref), result });
    // It may still run: a confirmation alone would not stop it.
    if (maySayStale(this.#host.loop.engine, ref)) this.send([{ kind: 'stale', ref }]);
  }

  #log(name: string, frame: FromWorker & { kind: 'log' }): void {
    const attempt = this.#find(name, frame.ref);
    if (attempt === null) {
      // The engine says that it is stale: it may still keep a place for it.
      const late = this.#host.confirmed.has(name, frame.ref);
      if (late) return;
      this.#doubt(name, frame.kind, { ref: frame.ref, attempt });
      this.#say({ kind: 'accept', worker: name, ref: fromWire(frame.ref) });
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

  /** Given on this link, or held since an earlier one and found live under this worker's name. */
  #find(name: string, ref: Ref): Attempt | null {
    const given = this.#given.get(ref);
    if (given !== undefined) {
      given.answered = true;
      return given.attempt;
    }
    const attempt = liveAttempt(this.#host.loop.engine, name, ref);
    if (attempt !== null) this.#given.set(ref, { attempt, ref, answered: true });
    return attempt;
  }

  /** What has been superseded and never answered would otherwise stay here for as long as the link. */
  #tidy(): void {
    for (const { attempt, ref } of [...this.#given.values()]) {
      if (attempt.task.attempt !== attempt) this.#given.delete(ref);
    }
  }

  #ignore(name: string, frame: FromWorker): void {
    this.#host.log.warn(
      { event: 'frame.ignored', worker: name, frame: frame.kind },
      'payload too large, frame ignored',
    );
  }

  /** Frames from a socket are checked before; this is for links that check nothing. */
  #unknown(frame: never): void {
    void frame;
    this.close(CLOSE.protocol, 'unknown frame');
  }

  #end(inGoodOrder: boolean): void {
    if (this.#state === 'closed') return;
    // What was said before the end counts.
    this.#report();
    this.#state = 'closed';
    clearTimeout(this.#helloTimer);
    this.#given.clear();
    this.#host.ended(this, inGoodOrder);
  }
}

/** A worker repeats nothing of it: dropped by a full node, it is told with the next message. */
function isSaidOnce({ kind }: Command): boolean {
  return kind === 'accept' || kind === 'refuse';
}
