import { type Command, type Effect, isToWorker } from '@signalbox/engine';
import { CLOSE, type WorkerView } from '@signalbox/protocol';
import { refusal } from '../errors/refusals.ts';
import { InputResolver } from '../inputs/input-resolver.ts';
import { logAlert } from '../logs/log-alert.ts';
import type { TaskLogs } from '../logs/task-logs.ts';
import type { CommitLoop } from '../loop/index.ts';
import type { RefusedReport } from '../operations/audit/refused-reports.ts';
import type { SecretReader } from '../secrets/secret-reader.ts';
import type { Logger } from '../settings/log-events.ts';
import type { AttemptSpans } from '../tracing/attempt-spans.ts';
import { checkFrames } from './check-frames.ts';
import { FrameBatch } from './frame-batch.ts';
import { DEFAULT_GATEWAY_LIMITS, type GatewayLimits } from './limits.ts';
import { Outgoing } from './outgoing.ts';
import type { Peer, Session } from './peer.ts';
import { Roster } from './roster.ts';
import { WorkerSession } from './session.ts';
import { SilenceWatch } from './silence-watch.ts';
import { workerView } from './worker-view.ts';

export interface GatewayParams {
  readonly loop: CommitLoop;
  readonly logs: TaskLogs;
  /** Of the node, as workers are told it. */
  readonly name: string;
  readonly heartbeatMs: number;
  readonly log: Logger;
  /** The server's time; the loop's unless a test has its own. */
  readonly clock?: () => number;
  readonly limits?: Partial<GatewayLimits>;
  readonly spans?: AttemptSpans;
  /** What tasks of graphs are given; without a blob store unless told. */
  readonly resolver?: InputResolver;
  /** Values of secrets that definitions refer to; without any unless told. */
  readonly secrets?: SecretReader;
  /** Called for every heartbeat, to be counted. */
  readonly beat?: () => void;
  /** Called for every refused report, to be audited. */
  readonly reportRefused?: (report: RefusedReport) => void;
}

/**
 * Where workers meet the engine: frames in become commands, effects become frames out. It decides
 * nothing about attempts; it knows which link belongs to which worker, and keeps links honest.
 */
export class Gateway {
  readonly #loop: CommitLoop;
  readonly #log: Logger;
  readonly #roster: Roster;
  readonly #outgoing: Outgoing;
  readonly #silence: SilenceWatch;
  #stopped = false;

  constructor(params: GatewayParams) {
    const { loop, logs, log, name, heartbeatMs } = params;
    this.#loop = loop;
    this.#log = log;
    const limits = { ...DEFAULT_GATEWAY_LIMITS, ...params.limits };
    const { beat = () => {}, reportRefused = () => {} } = params;
    const callbacks = { beat, reportRefused };
    this.#roster = new Roster({ loop, logs, log, limits, name, heartbeatMs, ...callbacks });
    this.#outgoing = new Outgoing({
      loop,
      confirmed: this.#roster.confirmed,
      spans: params.spans ?? null,
      now: params.clock ?? (() => loop.time.now()),
      resolver: params.resolver ?? new InputResolver(null),
      secrets: params.secrets ?? null,
    });
    const { beatsMissed } = limits;
    this.#silence = new SilenceWatch({ sessions: this.#roster.open, heartbeatMs, beatsMissed });
  }

  /** `isChecked` where every frame has been read from bytes; those of this process are looked at here. */
  open(peer: Peer, { isChecked }: { isChecked: boolean } = { isChecked: false }): Session {
    const session = new WorkerSession(this.#roster, peer);
    this.#roster.open.add(session);
    if (this.#stopped) session.close(CLOSE.goingAway, 'the node is stopping');
    else this.#silence.start();
    return isChecked ? session : checkFrames(session);
  }

  /** The loop's `release`. What belongs to one worker goes to it in one message. */
  receive(effects: readonly Effect[]): void {
    const batches = new Map<WorkerSession, FrameBatch>();
    for (const effect of effects) {
      try {
        this.#sort(effect, batches);
      } catch (error) {
        this.#cannotTell(error);
      }
    }
    for (const [session, { frames }] of batches) {
      try {
        if (frames.length > 0) session.send(frames);
      } catch (error) {
        this.#cannotTell(error);
      }
    }
  }

  #sort(effect: Effect, batches: Map<WorkerSession, FrameBatch>): void {
    if (effect.kind === 'alert') return this.#alert(effect);
    if (!isToWorker(effect)) return;
    const session = this.#roster.sessionOf(effect.worker);
    if (session === undefined) return this.#outgoing.unsent(effect);
    let batch = batches.get(session);
    if (batch === undefined) {
      batch = new FrameBatch();
      batches.set(session, batch);
    }
    if (session.learnsOfDrain(effect)) batch.push({ kind: 'drain' });
    this.#outgoing.add(batch, session, effect);
  }

  workers(): WorkerView[] {
    const known = [...this.#loop.engine.core.workers.workers.values()];
    return known.filter(({ info }) => !this.#roster.hasDeparted(info.name)).map(workerView);
  }

  worker(name: string): WorkerView | null {
    const worker = this.#loop.engine.core.workers.workers.get(name);
    return worker === undefined || this.#roster.hasDeparted(name) ? null : workerView(worker);
  }

  /** WRK-07 from the node's side; answers false where there is no such worker. So do those below. */
  drain(name: string): Promise<boolean> {
    this.#roster.ordered(name);
    return this.#order({ kind: 'drainWorker', worker: name });
  }

  cordon(name: string): Promise<boolean> {
    this.#roster.ordered(name);
    return this.#order({ kind: 'cordonWorker', worker: name });
  }

  uncordon(name: string): Promise<boolean> {
    return this.#order({ kind: 'uncordonWorker', worker: name });
  }

  evict(name: string): Promise<boolean> {
    return this.#order({ kind: 'evictWorker', worker: name });
  }

  /** Closes every link; workers go on with what they have and look for a node again. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#silence.stop();
    for (const session of [...this.#roster.open]) {
      session.close(CLOSE.goingAway, 'the node is stopping');
    }
  }

  /** One bad link or exporter must not stop the loop, which everybody else depends on. */
  #cannotTell(error: unknown): void {
    this.#log.error({ event: 'effect.failed', err: error }, 'effect failed');
  }

  async #order(command: Command & { worker: string }): Promise<boolean> {
    if (this.#roster.hasDeparted(command.worker)) return false;
    const answer = await this.#loop.execute(command);
    if (answer.kind !== 'refused') return true;
    if (answer.code === 'not_found') return false;
    throw refusal(answer);
  }

  #alert(effect: Effect & { kind: 'alert' }): void {
    // Not lost: it left, and the time in which it could have come back is over.
    if (effect.alert === 'workerLost' && this.#roster.forgotten(effect.about.worker ?? '')) return;
    logAlert(this.#log, effect);
  }
}
