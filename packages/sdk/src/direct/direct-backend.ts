import { setImmediate } from 'node:timers/promises';
import { connectInProcess, type RunningNode } from '@signalbox/node';
import type { NamedRequest } from '@signalbox/node/checks';
import { ApiError, type Caller, type NodeContext } from '@signalbox/node/context';
import {
  approveTask,
  cancelRun,
  cancelRuns,
  defineJob,
  diagnoseTask,
  getRun,
  listRuns,
  retryRun,
  retryRuns,
  runLogs,
  runOutput,
  runTasks,
  signalTask,
  submitRuns,
} from '@signalbox/node/operations';
import {
  type BulkAnswer,
  type Diagnosis,
  isEnded,
  type Job,
  type JobDefinition,
  type LogLine,
  type Page,
  type RunView,
  type Submitted,
  type TaskView,
} from '@signalbox/protocol';
import type {
  Backend,
  BoxEvent,
  BulkOptions,
  Decision,
  EventsFilter,
  LogsQuery,
  PreparedSubmission,
  RunsQuery,
  TaskOfRun,
} from '../backend.ts';
import { SignalboxError } from '../errors.ts';
import { encodeSubmissions } from '../http/encode-submissions.ts';
import { makeWorker } from '../make-worker.ts';
import { ofSubmission } from '../of-submission.ts';
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

  async apply(name: string, definition: JobDefinition): Promise<Job> {
    const request = {
      method: 'PUT',
      url: '/jobs/:job',
      params: { job: name },
      body: definition,
    } as const;
    return (await this.#do(defineJob, { name, definition }, { before: false, request })).job;
  }

  async submitAll(items: readonly PreparedSubmission[]): Promise<readonly Submitted[]> {
    try {
      return await this.#do(submitRuns, { items: items.map(submitItem) });
    } catch (error) {
      const refused = await refusedBatch(items, error);
      throw refused instanceof SignalboxError ? ofSubmission(refused, items.length) : refused;
    }
  }

  run(id: string, { waitMs }: { waitMs?: number }): Promise<RunView> {
    const request = { method: 'GET', url: '/runs/:id', params: { id } } as const;
    const params = waitMs === undefined ? { id } : { id, waitMs };
    return this.#do(getRun, params, { before: false, request });
  }

  tasks(id: string, cursor: string): Promise<Page<TaskView>> {
    const request = { method: 'GET', url: '/runs/:id/tasks', params: { id } } as const;
    return this.#readPage(runTasks, { id, cursor }, { before: false, request });
  }

  runs(query: RunsQuery): Promise<Page<RunView>> {
    const params = defined(query);
    return this.#readPage(listRuns, params, {
      request: { method: 'GET', url: '/runs', query: params },
    });
  }

  changeAll(action: 'cancel' | 'retry', options: BulkOptions): Promise<BulkAnswer> {
    const { filter, ...more } = options;
    const body = { ...defined(more), filter: defined(filter) };
    const request = { method: 'POST', url: `/runs/${action}`, body } as const;
    return this.#do(action === 'cancel' ? cancelRuns : retryRuns, body, { request });
  }

  output(id: string): Promise<Uint8Array> {
    const request = { method: 'GET', url: '/runs/:id/output', params: { id } } as const;
    return this.#do(runOutput, { id }, { before: false, request });
  }

  async cancel(id: string, reason: string | undefined): Promise<void> {
    await this.#do(cancelRun, defined({ id, reason }), {
      request: change(id, 'cancel', { reason }),
    });
  }

  retry(id: string, reason: string | undefined): Promise<Submitted> {
    return this.#do(retryRun, defined({ id, reason }), {
      request: change(id, 'retry', { reason }),
    });
  }

  async decide({ run: id, task }: TaskOfRun, decision: Decision): Promise<void> {
    const request = wakes({ run: id, task }, 'approval', decision);
    await this.#do(approveTask, { id, task, ...decision }, { request });
  }

  async signal({ run: id, task }: TaskOfRun, event: unknown): Promise<void> {
    const request = wakes({ run: id, task }, 'event', { event });
    await this.#do(signalTask, { id, task, event }, { request });
  }

  diagnosis(taskId: string): Promise<Diagnosis> {
    const request = { method: 'GET', url: '/tasks/:id/diagnosis', params: { id: taskId } } as const;
    return this.#do(diagnoseTask, { id: taskId }, { before: false, request });
  }

  logs(id: string, query: LogsQuery): Promise<Page<LogLine>> {
    const request = { method: 'GET', url: '/runs/:id/logs', params: { id }, query } as const;
    return this.#readPage(runLogs, { id, ...query }, { before: false, request });
  }

  async *events(filter: EventsFilter, signal: AbortSignal): AsyncIterable<BoxEvent> {
    const { run, job } = filter;
    if (job !== undefined) await checked({ method: 'GET', url: '/events', query: { job } });
    if (run !== undefined) {
      await checked({ method: 'GET', url: '/runs/:id/events', params: { id: run } });
    }
    const { tenant } = this.#caller;
    const { feed } = this.#node.context;
    const isOver = async (id: string): Promise<boolean> => isEnded((await this.run(id, {})).state);
    yield* directEvents({ feed, tenant, filter, signal, hasEnded: isOver });
  }

  work(params: WorkOn, closed: AbortSignal): Promise<WorkingWorker> {
    const { gateway, context } = this.#node;
    const transport = connectInProcess(gateway);
    return makeWorker(params, { transport, blobs: context.blobs, closed });
  }

  async mayDefine(): Promise<boolean> {
    return true;
  }

  close(): Promise<void> {
    return this.#node.stop();
  }

  /**
   * A store in this process returns without waiting: reading many pages would not let the timers of the node
   * run, and its leases would expire.
   */
  async #readPage<P, R>(
    operation: Operation<P, R>,
    params: P,
    how: { readonly request: NamedRequest; readonly before?: boolean },
  ): Promise<R> {
    await setImmediate();
    return this.#do(operation, params, how);
  }

  /** Validates the request as the API does, with the same errors: before the operation, or after it has failed. */
  async #do<P, R>(
    operation: Operation<P, R>,
    params: P,
    { request, before = true }: { request?: NamedRequest; before?: boolean } = {},
  ): Promise<R> {
    if (before && request !== undefined) await checked(request);
    try {
      return await operation(this.#node.context, this.#caller, params);
    } catch (error) {
      if (!before && request !== undefined) await checked(request);
      throw error instanceof ApiError ? signalboxError(error) : error;
    }
  }
}

async function checked(request: NamedRequest): Promise<void> {
  const { checkRequest } = await import('@signalbox/node/checks');
  try {
    await checkRequest(request);
  } catch (error) {
    throw error instanceof ApiError ? signalboxError(error) : error;
  }
}

/** The error for the same submissions over HTTP, where the body is validated first; otherwise the error itself. */
async function refusedBatch(
  items: readonly PreparedSubmission[],
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof SignalboxError) || !['invalid', 'not_found'].includes(error.code)) {
    return error;
  }
  const { readBatch } = await import('@signalbox/node/checks');
  try {
    await readBatch(encodeSubmissions(items));
    return error;
  } catch (refused) {
    return refused instanceof ApiError ? signalboxError(refused) : error;
  }
}

function change(id: string, what: 'cancel' | 'retry', body: object): NamedRequest {
  return { method: 'POST', url: `/runs/:id/${what}`, params: { id }, body };
}

function wakes(
  { run: id, task }: TaskOfRun,
  what: 'approval' | 'event',
  body: object,
): NamedRequest {
  return { method: 'POST', url: `/runs/:id/tasks/:task/${what}`, params: { id, task }, body };
}

export function signalboxError(error: ApiError): SignalboxError {
  const { code, message, field, retryAfterSeconds: seconds } = error;
  const retryAfterMs = seconds === undefined ? undefined : seconds * 1_000;
  return new SignalboxError(code, message, { field, retryAfterMs, cause: error });
}

/** Removes undefined fields, which operations would treat as present. */
function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]: Exclude<T[K], undefined> };
}
