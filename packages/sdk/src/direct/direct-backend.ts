import { connectInProcess, type RunningNode } from '@signalbox/node';
import { ApiError, type Caller, type NodeContext } from '@signalbox/node/context';
import {
  approveTask,
  cancelRun,
  defineJob,
  diagnoseTask,
  getRun,
  listRuns,
  retryRun,
  runLogs,
  runOutput,
  signalTask,
  submitRuns,
} from '@signalbox/node/operations';
import type {
  Diagnosis,
  Job,
  JobDefinition,
  LogLine,
  Page,
  RunView,
  Submitted,
} from '@signalbox/protocol';
import type {
  Backend,
  BoxEvent,
  Decided,
  EventsFilter,
  LogsQuery,
  PreparedSubmission,
  RunsQuery,
  TaskOfRun,
} from '../backend.ts';
import { hasEnded } from '../ended-run.ts';
import { SignalboxError } from '../errors.ts';
import { makeWorker } from '../make-worker.ts';
import type { WorkingWorker, WorkOn } from '../work-on.ts';
import { directEvents } from './direct-events.ts';
import { submitItem } from './submit-item.ts';

type Operation<P, R> = (context: NodeContext, caller: Caller, params: P) => Promise<R>;

/** A node in this process: the functions behind the API, without HTTP. */
export class DirectBackend implements Backend {
  readonly isRemote = false;
  readonly #node: RunningNode;
  readonly #caller: Caller;

  constructor(node: RunningNode, tenant: string) {
    this.#node = node;
    this.#caller = {
      key: 'embedded',
      tenant,
      role: 'admin',
      platform: true,
      ip: '',
      requestId: '',
    };
  }

  async define(name: string, definition: JobDefinition): Promise<Job> {
    return (await this.#do(defineJob, { name, definition })).job;
  }

  submitAll(items: readonly PreparedSubmission[]): Promise<readonly Submitted[]> {
    return this.#do(submitRuns, { items: items.map(submitItem), single: items.length === 1 });
  }

  run(id: string, { waitMs }: { waitMs?: number }): Promise<RunView> {
    return this.#do(getRun, waitMs === undefined ? { id } : { id, waitMs });
  }

  runs(query: RunsQuery): Promise<Page<RunView>> {
    const { job, state, priority, cursor, limit } = query;
    return this.#do(listRuns, {
      ...(job !== undefined && { job }),
      ...(state !== undefined && { state }),
      ...(priority !== undefined && { priority }),
      ...(cursor !== undefined && { cursor }),
      ...(limit !== undefined && { limit }),
    });
  }

  output(id: string): Promise<Uint8Array> {
    return this.#do(runOutput, { id });
  }

  async cancel(id: string, reason: string | undefined): Promise<void> {
    await this.#do(cancelRun, about(id, reason));
  }

  retry(id: string, reason: string | undefined): Promise<Submitted> {
    return this.#do(retryRun, about(id, reason));
  }

  async decide({ run: id, task }: TaskOfRun, said: Decided): Promise<void> {
    await this.#do(approveTask, { id, task, ...said });
  }

  async signal({ run: id, task }: TaskOfRun, event: unknown): Promise<void> {
    await this.#do(signalTask, { id, task, event });
  }

  diagnosis(taskId: string): Promise<Diagnosis> {
    return this.#do(diagnoseTask, { id: taskId });
  }

  logs(id: string, query: LogsQuery): Promise<Page<LogLine>> {
    return this.#do(runLogs, { id, ...query });
  }

  events(filter: EventsFilter, signal: AbortSignal): AsyncIterable<BoxEvent> {
    const { tenant } = this.#caller;
    const { feed } = this.#node.context;
    const isOver = async (id: string): Promise<boolean> => hasEnded(await this.run(id, {}));
    return directEvents({ feed, tenant, filter, signal, hasEnded: isOver });
  }

  work(params: WorkOn, closed: AbortSignal): Promise<WorkingWorker> {
    const { gateway, context } = this.#node;
    const transport = connectInProcess(gateway);
    return makeWorker(params, { transport, blobs: context.blobs, closed });
  }

  close(): Promise<void> {
    return this.#node.stop();
  }

  async #do<P, R>(operation: Operation<P, R>, params: P): Promise<R> {
    try {
      return await operation(this.#node.context, this.#caller, params);
    } catch (error) {
      throw error instanceof ApiError ? signalboxError(error) : error;
    }
  }
}

function signalboxError(error: ApiError): SignalboxError {
  const { code, message, field, retryAfterSeconds: seconds } = error;
  const retryAfterMs = seconds === undefined ? undefined : seconds * 1_000;
  return new SignalboxError(code, message, { field, retryAfterMs, cause: error });
}

function about(id: string, reason: string | undefined): { id: string; reason?: string } {
  return reason === undefined ? { id } : { id, reason };
}
