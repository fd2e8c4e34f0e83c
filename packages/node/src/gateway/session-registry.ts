import { CLOSE, type FromNode, NAME_TAKEN, PROTOCOL_VERSION } from '@signalbox/protocol';
import type { TaskLogs } from '../logs/task-logs.ts';
import type { CommitLoop } from '../loop/index.ts';
import type { RefusedReport } from '../operations/audit/refused-reports.ts';
import type { Logger } from '../settings/log-events.ts';
import { Confirmed } from './confirmed.ts';
import { type Hello, refusalOf } from './hello.ts';
import type { GatewayLimits } from './limits.ts';
import type { WorkerSession } from './session.ts';
import type { SessionHost, Statement } from './session-host.ts';

/** The session of each worker by name, and the workers that have left. */
export class SessionRegistry implements SessionHost {
  readonly loop: CommitLoop;
  readonly logs: TaskLogs;
  readonly log: Logger;
  readonly limits: GatewayLimits;
  readonly confirmed: Confirmed;
  readonly reportRefused: (report: RefusedReport) => void;
  /** Every session, also those before `hello`. */
  readonly open = new Set<WorkerSession>();
  readonly #welcomeFrame: FromNode;
  readonly #heartbeatMs: number;
  readonly #beat: () => void;
  readonly #byName = new Map<string, WorkerSession>();
  /** Workers that sent `bye`; the engine keeps their record briefly in case they return. */
  readonly #departed = new Set<string>();
  /** Workers that asked for their own drain, which ends with their process, unlike one that a person ordered. */
  readonly #drainsItself = new Set<string>();

  constructor(params: {
    loop: CommitLoop;
    logs: TaskLogs;
    log: Logger;
    limits: GatewayLimits;
    name: string;
    heartbeatMs: number;
    beat: () => void;
    reportRefused: (report: RefusedReport) => void;
  }) {
    this.loop = params.loop;
    this.logs = params.logs;
    this.log = params.log;
    this.limits = params.limits;
    this.confirmed = new Confirmed(params.limits.confirmsKept);
    const { name: node, heartbeatMs } = params;
    this.#heartbeatMs = heartbeatMs;
    this.#beat = params.beat;
    this.reportRefused = params.reportRefused;
    this.#welcomeFrame = {
      kind: 'welcome',
      protocol: PROTOCOL_VERSION,
      node,
      heartbeatMs,
      packs: true,
    };
  }

  sessionOf(worker: string): WorkerSession | undefined {
    return this.#byName.get(worker);
  }

  hasDeparted(worker: string): boolean {
    return this.#departed.has(worker);
  }

  /** A person ordered a drain or cordon, which replaces the worker's own. */
  ordered(worker: string): void {
    this.#drainsItself.delete(worker);
  }

  /** The engine has dropped the worker's record; returns whether the worker had left in good order. */
  forgotten(worker: string): boolean {
    this.#drainsItself.delete(worker);
    return this.#departed.delete(worker);
  }

  monotonicMs(): number {
    return performance.now();
  }

  mayAttach(session: WorkerSession, hello: Hello): boolean {
    const refusal = refusalOf(hello, this.limits);
    if (refusal !== null) {
      session.close(refusal.code, refusal.reason);
      return false;
    }
    const current = this.#byName.get(hello.worker);
    if (current === undefined || current === session) return true;
    if (current.info?.instance !== hello.instance) {
      this.log.warn(
        { event: 'worker.refused', worker: hello.worker },
        'worker refused, its name is taken',
      );
      session.close(CLOSE.invalid, NAME_TAKEN);
      return false;
    }
    // Removed first, because the worker has reconnected and not left.
    this.#byName.delete(hello.worker);
    current.close(CLOSE.replaced, 'the worker has connected again');
    return true;
  }

  attach(session: WorkerSession, statement: Statement): void {
    const { name, instance } = statement.info;
    if (this.#byName.get(name) !== session) {
      this.#byName.set(name, session);
      this.#departed.delete(name);
      session.send([this.#welcomeFrame]);
      const { zone } = statement.info;
      this.log.info({ event: 'worker.attached', worker: name, zone }, 'worker attached');
    }
    const before = this.loop.engine.core.workers.workers.get(name);
    const attach = { kind: 'attachWorker', ...statement } as const;
    if (!this.#drainsItself.has(name) || before?.info.instance === instance) {
      this.loop.report(attach);
      return;
    }
    // One mail, remembered if a full mailbox drops it: without the second command the new process would stay
    // drained.
    const uncordon = { kind: 'uncordonWorker', worker: name } as const;
    if (this.loop.report([attach, uncordon])) this.#drainsItself.delete(name);
  }

  /**
   * The engine does not know a worker that it gave up while the connection was slow, or whose `hello` was dropped
   * under load; neither would get work again. At most one request per heartbeat: a `hello` may still wait to be
   * decided, and a request for each heartbeat behind it would repeat endlessly.
   */
  heard(session: WorkerSession): void {
    this.#beat();
    const name = session.info?.name ?? '';
    if (this.loop.engine.core.workers.workers.get(name)?.info === session.info) return;
    if (this.monotonicMs() - session.statedAtMs < this.#heartbeatMs) return;
    session.statedAtMs = this.monotonicMs();
    session.send([{ kind: 'restate' }]);
  }

  drainItself(worker: string): void {
    const status = this.loop.engine.core.workers.workers.get(worker)?.status;
    if (status !== 'cordoned' && status !== 'draining') this.#drainsItself.add(worker);
    this.loop.report({ kind: 'drainWorker', worker });
  }

  ended(session: WorkerSession, inGoodOrder: boolean): void {
    this.open.delete(session);
    const name = session.info?.name;
    if (name === undefined || this.#byName.get(name) !== session) return;
    this.#byName.delete(name);
    if (inGoodOrder) this.#departed.add(name);
    const fields = { worker: name, isClean: inGoodOrder };
    this.log.info({ event: 'worker.detached', ...fields }, 'worker detached');
    this.loop.report({ kind: 'detachWorker', worker: name });
  }
}
