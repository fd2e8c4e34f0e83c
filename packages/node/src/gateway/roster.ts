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

/** Which link belongs to which worker, and what became of those that have gone. */
export class Roster implements SessionHost {
  readonly loop: CommitLoop;
  readonly logs: TaskLogs;
  readonly log: Logger;
  readonly limits: GatewayLimits;
  readonly confirmed: Confirmed;
  readonly reportRefused: (report: RefusedReport) => void;
  /** Every link, also those that have not said who they are. */
  readonly open = new Set<WorkerSession>();
  readonly #welcomeFrame: FromNode;
  readonly #heartbeatMs: number;
  readonly #beat: () => void;
  readonly #byName = new Map<string, WorkerSession>();
  /** They said goodbye; the engine keeps their record for a moment in case they come back. */
  readonly #departed = new Set<string>();
  /** They asked for the drain themselves: it ends with their process, unlike one that a person ordered. */
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

  /** A person decided about the worker's drain or cordon: it is not the worker's own any more. */
  ordered(worker: string): void {
    this.#drainsItself.delete(worker);
  }

  /** The engine has let go of its record; answers whether it had left by itself. */
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
    // Out of the table first: the worker has moved, it has not gone.
    this.#byName.delete(hello.worker);
    current.close(CLOSE.replaced, 'the worker has connected again');
    return true;
  }

  attach(session: WorkerSession, said: Statement): void {
    const { name, instance } = said.info;
    if (this.#byName.get(name) !== session) {
      this.#byName.set(name, session);
      this.#departed.delete(name);
      session.send([this.#welcomeFrame]);
      const { zone } = said.info;
      this.log.info({ event: 'worker.attached', worker: name, zone }, 'worker attached');
    }
    const before = this.loop.engine.core.workers.workers.get(name);
    const attach = { kind: 'attachWorker', ...said } as const;
    if (!this.#drainsItself.has(name) || before?.info.instance === instance) {
      this.loop.report(attach);
      return;
    }
    // Together, and kept in mind where a full node drops both: left out, the second would leave the
    // new process drained for as long as it lives.
    const uncordon = { kind: 'uncordonWorker', worker: name } as const;
    if (this.loop.report([attach, uncordon])) this.#drainsItself.delete(name);
  }

  /**
   * The engine does not know a worker that it gave up while the link was slow, nor one whose
   * `hello` was dropped under load; neither would ever get work again. Asked once a beat at most: a
   * `hello` that waits to be decided is not lost, and an answer to every beat behind it would make
   * the two talk in circles.
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
