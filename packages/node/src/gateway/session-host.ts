import type { AttemptRef, Resources, WorkerInfo } from '@signalbox/engine';
import type { TaskLogs } from '../logs/task-logs.ts';
import type { CommitLoop } from '../loop/index.ts';
import type { RefusedReport } from '../operations/audit/refused-reports.ts';
import type { Logger } from '../settings/log-events.ts';
import type { Confirmed } from './confirmed.ts';
import type { Hello } from './hello.ts';
import type { GatewayLimits } from './limits.ts';
import type { WorkerSession } from './session.ts';

/** The part of the gateway that a session uses. */
export interface SessionHost {
  readonly loop: CommitLoop;
  readonly logs: TaskLogs;
  readonly log: Logger;
  readonly limits: GatewayLimits;
  readonly confirmed: Confirmed;
  monotonicMs(): number;
  /** Closes the session and returns false if it must not attach. */
  mayAttach(session: WorkerSession, hello: Hello): boolean;
  attach(session: WorkerSession, statement: Statement): void;
  /** A heartbeat: if the engine does not know the worker, it must send `hello` again. */
  heard(session: WorkerSession): void;
  drainItself(worker: string): void;
  reportRefused(report: RefusedReport): void;
  ended(session: WorkerSession, inGoodOrder: boolean): void;
}

export interface Statement {
  readonly info: WorkerInfo;
  readonly foreignUse: Resources;
  readonly holds: readonly AttemptRef[];
}
