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
import { WorkerSession } from './session.ts';
import { SessionRegistry } from './session-registry.ts';
import { SilenceWatch } from './silence-watch.ts';
import { workerView } from './worker-view.ts';

export interface GatewayParams {
  readonly loop: CommitLoop;
  readonly logs: TaskLogs;
  /** The name of the node, sent to workers. */
  readonly name: string;
  readonly heartbeatMs: number;
  readonly log: Logger;
  /** The server's time; the loop's unless a test has its own. */
  readonly clock?: () => number;
  readonly limits?: Partial<GatewayLimits>;
  readonly spans?: AttemptSpans;
  /** Resolves inputs of tasks in graphs; default: without a blob store. */
  readonly resolver?: InputResolver;
  /** Values of secrets that definitions refer to; default: none. */
  readonly secrets?: SecretReader;
  /** Called for every heartbeat, to be counted. */
  readonly beat?: () => void;
  /** Called for every refused report, to be audited. */
  readonly reportRefused?: (report: RefusedReport) => void;
}

/**
 * Connects workers and engine: received frames become commands, and effects become frames. It decides nothing about
 * attempts; it maps workers to sessions and enforces the limits of connections.
 */
export class Gateway {
  readonly #loop: CommitLoop;
  readonly #log: Logger;
  readonly #sessions: SessionRegistry;
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
    this.#sessions = new SessionRegistry({
      loop,
      logs,
      log,
      limits,
      name,
      heartbeatMs,
      ...callbacks,
    });
    this.#outgoing = new Outgoing({
      loop,
      confirmed: this.#sessions.confirmed,
      spans: params.spans ?? null,
      now: params.clock ?? (() => loop.time.now()),
      resolver: params.resolver ?? new InputResolver(null),
      secrets: params.secrets ?? null,
    });
    const { beatsMissed } = limits;
    this.#silence = new SilenceWatch({ sessions: this.#sessions.open, heartbeatMs, beatsMissed });
  }

  /** `isChecked`: frames were decoded from bytes and are valid; frames of this process are checked here. */
  open(peer: Peer, { isChecked }: { isChecked: boolean } = { isChecked: false }): Session {
    const session = new WorkerSession(this.#sessions, peer);
    this.#sessions.open.add(session);
    if (this.#stopped) session.close(CLOSE.goingAway, 'the node is stopping');
    else this.#silence.start();
    return isChecked ? session : checkFrames(session);
  }

  /** The loop's port `release`. The frames of one worker are sent in one message. */
  receive(effects: readonly Effect[]): void {
    const batches = new Map<WorkerSession, FrameBatch>();
    for (const effect of effects) {
      try {
        this.#sort(effect, batches);
      } catch (error) {
        this.#logFailure(error);
      }
    }
    for (const [session, { frames }] of batches) {
      try {
        if (frames.length > 0) session.send(frames);
      } catch (error) {
        this.#logFailure(error);
      }
    }
  }

  #sort(effect: Effect, batches: Map<WorkerSession, FrameBatch>): void {
    if (effect.kind === 'alert') return this.#alert(effect);
    if (!isToWorker(effect)) return;
    const session = this.#sessions.sessionOf(effect.worker);
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
    return known.filter(({ info }) => !this.#sessions.hasDeparted(info.name)).map(workerView);
  }

  worker(name: string): WorkerView | null {
    const worker = this.#loop.engine.core.workers.workers.get(name);
    return worker === undefined || this.#sessions.hasDeparted(name) ? null : workerView(worker);
  }

  /** WRK-07 from the node's side. Each order returns false if the worker is not attached. */
  drain(name: string): Promise<boolean> {
    this.#sessions.ordered(name);
    return this.#order({ kind: 'drainWorker', worker: name });
  }

  cordon(name: string): Promise<boolean> {
    this.#sessions.ordered(name);
    return this.#order({ kind: 'cordonWorker', worker: name });
  }

  uncordon(name: string): Promise<boolean> {
    return this.#order({ kind: 'uncordonWorker', worker: name });
  }

  evict(name: string): Promise<boolean> {
    return this.#order({ kind: 'evictWorker', worker: name });
  }

  /** Closes every session; workers continue their attempts and reconnect to a node. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#silence.stop();
    for (const session of [...this.#sessions.open]) {
      session.close(CLOSE.goingAway, 'the node is stopping');
    }
  }

  /** One failing connection or exporter must not stop the loop. */
  #logFailure(error: unknown): void {
    this.#log.error({ event: 'effect.failed', err: error }, 'effect failed');
  }

  async #order(command: Command & { worker: string }): Promise<boolean> {
    if (this.#sessions.hasDeparted(command.worker)) return false;
    const answer = await this.#loop.execute(command);
    if (answer.kind !== 'refused') return true;
    if (answer.code === 'not_found') return false;
    throw refusal(answer);
  }

  #alert(effect: Effect & { kind: 'alert' }): void {
    // Not lost: the worker left in good order, and the time to return has passed.
    if (effect.alert === 'workerLost' && this.#sessions.forgotten(effect.about.worker ?? ''))
      return;
    logAlert(this.#log, effect);
  }
}
