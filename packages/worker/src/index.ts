export { type Blobs, httpBlobs } from './blobs.ts';
export { DEFAULT_SLOTS } from './capacity.ts';
export {
  ClassedError,
  type ErrorClass,
  failureOf,
  PermanentError,
  ResourceError,
  TransientError,
} from './errors.ts';
export type {
  Assign,
  AttemptContext,
  Executor,
  Result,
  StopWhy,
} from './executor.ts';
export { type CommandExecutor, commandExecutor } from './executors/command/command-executor.ts';
export type { CommandExecutorOptions } from './executors/command/command-options.ts';
export { EXPOSED, type Isolation } from './executors/command/isolation.ts';
export type {
  Checkpoint,
  Handler,
  HandlerContext,
  HandlerLog,
  HandlerModule,
  HandlerWindow,
  ParentResult,
} from './executors/handler/handler.ts';
export { runHandler } from './executors/handler/run-handler.ts';
export type { HttpExecutorOptions, RefusedTarget } from './executors/http/http-options.ts';
export { httpExecutor } from './executors/http-on-demand.ts';
export {
  ATTEMPT_EDGES,
  type AttemptState,
  WORKER_EDGES,
  type WorkerState,
} from './life-cycle.ts';
export type { LinkEvent } from './link/link.ts';
export {
  type InProcessSession,
  type InProcessWorker,
  inProcessTransport,
} from './transport/in-process.ts';
export type { Connection, ConnectionHandlers, Transport } from './transport/transport.ts';
export { webSocketTransport } from './transport/web-socket.ts';
export { Worker } from './worker.ts';
export type {
  AttemptIds,
  RefuseWhy,
  WorkerEvent,
  WorkerOptions,
  WorkerSpan,
  WorkerSpans,
} from './worker-options.ts';
