import type { AttemptRef, Resources, WorkerInfo } from '@signalbox/engine';
import type { TaskLogs } from '../logs/task-logs.ts';
import type { CommitLoop } from '../loop/index.ts';
import type { RefusedReport } from '../operations/audit/refused-reports.ts';
import type { Logger } from '../settings/log-events.ts';
import type { Confirmed } from './confirmed.ts';
import type { Hello } from './hello.ts';
import type { GatewayLimits } from './limits.ts';
import type { WorkerSession } from './session.ts';

/** What a session needs of the gateway that it belongs to. */
export interface SessionHost {
  readonly loop: CommitLoop;
  readonly logs: TaskLogs;
  readonly log: Logger;
  readonly limits: GatewayLimits;
  readonly confirmed: Confirmed;
  monotonicMs(): number;
  /** False where the session has been closed instead. */
  mayAttach(session: WorkerSession, hello: Hello): boolean;
  attach(session: WorkerSession, said: Statement): void;
  /** It beats: if the engine does not know it, it has to introduce itself anew. */
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
