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
  Decided,
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
    const asked = {
      method: 'PUT',
      url: '/jobs/:job',
      params: { job: name },
      body: definition,
    } as const;
    return (await this.#do(defineJob, { name, definition }, { before: false, asked })).job;
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
    const asked = { method: 'GET', url: '/runs/:id', params: { id } } as const;
    const params = waitMs === undefined ? { id } : { id, waitMs };
    return this.#do(getRun, params, { before: false, asked });
  }

  tasks(id: string, cursor: string): Promise<Page<TaskView>> {
    const asked = { method: 'GET', url: '/runs/:id/tasks', params: { id } } as const;
    return this.#readPage(runTasks, { id, cursor }, { before: false, asked });
  }

  runs(query: RunsQuery): Promise<Page<RunView>> {
    const params = defined(query);
    return this.#readPage(listRuns, params, {
      asked: { method: 'GET', url: '/runs', query: params },
    });
  }

  changeAll(action: 'cancel' | 'retry', options: BulkOptions): Promise<BulkAnswer> {
    const { filter, ...more } = options;
    const body = { ...defined(more), filter: defined(filter) };
    const asked = { method: 'POST', url: `/runs/${action}`, body } as const;
    return this.#do(action === 'cancel' ? cancelRuns : retryRuns, body, { asked });
  }

  output(id: string): Promise<Uint8Array> {
    const asked = { method: 'GET', url: '/runs/:id/output', params: { id } } as const;
    return this.#do(runOutput, { id }, { before: false, asked });
  }

  async cancel(id: string, reason: string | undefined): Promise<void> {
    await this.#do(cancelRun, about(id, reason), { asked: change(id, 'cancel', { reason }) });
  }

  retry(id: string, reason: string | undefined): Promise<Submitted> {
    return this.#do(retryRun, about(id, reason), { asked: change(id, 'retry', { reason }) });
  }

  async decide({ run: id, task }: TaskOfRun, said: Decided): Promise<void> {
    const asked = wakes({ run: id, task }, 'approval', said);
    await this.#do(approveTask, { id, task, ...said }, { asked });
  }

  async signal({ run: id, task }: TaskOfRun, event: unknown): Promise<void> {
    const asked = wakes({ run: id, task }, 'event', { event });
    await this.#do(signalTask, { id, task, event }, { asked });
  }

  diagnosis(taskId: string): Promise<Diagnosis> {
    const asked = { method: 'GET', url: '/tasks/:id/diagnosis', params: { id: taskId } } as const;
    return this.#do(diagnoseTask, { id: taskId }, { before: false, asked });
  }

  logs(id: string, query: LogsQuery): Promise<Page<LogLine>> {
    const asked = { method: 'GET', url: '/runs/:id/logs', params: { id }, query } as const;
    return this.#readPage(runLogs, { id, ...query }, { before: false, asked });
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
   * A store in this process answers without waiting: reading page after page would leave no turn of the event
   * loop to the timers of the node, and its leases would expire.
   */
  async #readPage<P, R>(
    operation: Operation<P, R>,
    params: P,
    how: { readonly asked: NamedRequest; readonly before?: boolean },
  ): Promise<R> {
    await setImmediate();
    return this.#do(operation, params, how);
  }

  /** Refuses what the API refuses, with its words: before, or where the operation has refused it as well. */
  async #do<P, R>(
    operation: Operation<P, R>,
    params: P,
    { asked, before = true }: { asked?: NamedRequest; before?: boolean } = {},
  ): Promise<R> {
    if (before && asked !== undefined) await checked(asked);
    try {
      return await operation(this.#node.context, this.#caller, params);
    } catch (error) {
      if (!before && asked !== undefined) await checked(asked);
      throw error instanceof ApiError ? signalboxError(error) : error;
    }
  }
}

async function checked(asked: NamedRequest): Promise<void> {
  const { checkRequest } = await import('@signalbox/node/checks');
  try {
    await checkRequest(asked);
  } catch (error) {
    throw error instanceof ApiError ? signalboxError(error) : error;
  }
}

/** What a node says to the same submissions over HTTP, which are checked as a body first; else the error itself. */
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

function about(id: string, reason: string | undefined): { id: string; reason?: string } {
  return reason === undefined ? { id } : { id, reason };
}

/** Operations read a field that is there and undefined as given. */
function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], undefined> };
}
