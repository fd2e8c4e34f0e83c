import { randomUUID } from 'node:crypto';
import {
  BATCH_TYPE,
  type BulkAnswer,
  type Diagnosis,
  type Job,
  type JobDefinition,
  type LogLine,
  oneByOne,
  type Page,
  type Role,
  type RunView,
  type Submitted,
  type SubmittedInARow,
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
import { ofSubmission } from '../of-submission.ts';
import type { WorkingWorker, WorkOn } from '../work-on.ts';
import { encodeSubmissions } from './encode-submissions.ts';
import { HttpClient, type HttpClientParams } from './http-client.ts';
import { LongWaits } from './long-waits.ts';
import { remoteEvents } from './remote-events.ts';
import { remoteWorker } from './remote-worker.ts';
import { sendAhead } from './send-ahead.ts';

/** A node over HTTP. */
export class HttpBackend implements Backend {
  readonly isRemote = true;
  readonly #client: HttpClient;
  readonly #params: HttpClientParams;
  readonly #waits = new LongWaits();

  constructor(params: HttpClientParams) {
    this.#params = params;
    this.#client = new HttpClient(params);
  }

  apply(name: string, definition: JobDefinition): Promise<Job> {
    return this.#client.json({
      method: 'PUT',
      path: `/jobs/${encodeURIComponent(name)}`,
      body: JSON.stringify(definition),
      repeatable: true,
      expects: ['name', 'version'],
    });
  }

  async submitAll(items: readonly PreparedSubmission[]): Promise<readonly Submitted[]> {
    const body = encodeSubmissions(await sendAhead(this.#client, items));
    const request = {
      method: 'POST',
      path: '/runs/batch',
      body,
      contentType: BATCH_TYPE,
      // The response may be lost: with the key, the same request can be repeated and takes effect once.
      key: `sdk-${randomUUID()}`,
      repeatable: true,
      expects: ['items'],
    } as const;
    try {
      return oneByOne((await this.#client.json<Page<SubmittedInARow>>(request)).items);
    } catch (error) {
      throw error instanceof SignalboxError ? ofSubmission(error, items.length) : error;
    }
  }

  run(id: string, options: { waitMs?: number; signal?: AbortSignal | undefined }) {
    const { waitMs = 0, signal } = options;
    const read = (wait: number | undefined): Promise<RunView> => {
      const path = `/runs/${encodeURIComponent(id)}${queryOf({ wait })}`;
      return this.#client.json({ method: 'GET', path, signal, expects: ['id', 'state'] });
    };
    return waitMs === 0 ? read(undefined) : this.#waits.wait({ waitMs, signal, read });
  }

  tasks(id: string, cursor: string): Promise<Page<TaskView>> {
    return this.#list(`/runs/${encodeURIComponent(id)}/tasks`, { cursor });
  }

  runs(query: RunsQuery): Promise<Page<RunView>> {
    return this.#list('/runs', query);
  }

  output(id: string, signal?: AbortSignal): Promise<Uint8Array> {
    const path = `/runs/${encodeURIComponent(id)}/output`;
    return this.#client.bytes({ method: 'GET', path, signal });
  }

  changeAll(action: 'cancel' | 'retry', options: BulkOptions): Promise<BulkAnswer> {
    return this.#client.json({
      method: 'POST',
      path: `/runs/${action}`,
      body: JSON.stringify(options),
      expects: ['count'],
    });
  }

  async cancel(id: string, reason: string | undefined): Promise<void> {
    await this.#change(id, 'cancel', { reason, repeatable: true });
  }

  retry(id: string, reason: string | undefined): Promise<Submitted> {
    return this.#change(id, 'retry', { reason, repeatable: false });
  }

  async decide(task: TaskOfRun, decision: Decision): Promise<void> {
    await this.#wake(task, 'approval', decision);
  }

  async signal(task: TaskOfRun, event: unknown): Promise<void> {
    await this.#wake(task, 'event', { event });
  }

  diagnosis(taskId: string): Promise<Diagnosis> {
    const path = `/tasks/${encodeURIComponent(taskId)}/diagnosis`;
    return this.#client.json({ method: 'GET', path, expects: ['detail'] });
  }

  logs(id: string, query: LogsQuery): Promise<Page<LogLine>> {
    return this.#list(`/runs/${encodeURIComponent(id)}/logs`, query);
  }

  events(filter: EventsFilter, signal: AbortSignal): AsyncIterable<BoxEvent> {
    const { run, job } = filter;
    const path =
      run === undefined ? `/events${queryOf({ job })}` : `/runs/${encodeURIComponent(run)}/events`;
    return remoteEvents({ client: this.#client, path, signal });
  }

  work(params: WorkOn, closed: AbortSignal): Promise<WorkingWorker> {
    return remoteWorker(this.#params, params, closed);
  }

  async mayDefine(): Promise<boolean> {
    const request = { method: 'GET', path: '/whoami', expects: ['role'] } as const;
    return (await this.#client.json<{ role: Role }>(request)).role !== 'worker';
  }

  close(): Promise<void> {
    this.#waits.close();
    return this.#client.destroy();
  }

  #list<T>(path: string, query: object): Promise<Page<T>> {
    const request = { method: 'GET', path: `${path}${queryOf(query)}` } as const;
    return this.#client.json({ ...request, expects: ['items'] });
  }

  /** Not repeated: if the first response was lost, the task no longer waits at the second request. */
  #wake({ run, task }: TaskOfRun, what: 'approval' | 'event', body: object): Promise<unknown> {
    const path = `/runs/${encodeURIComponent(run)}/tasks/${encodeURIComponent(task)}/${what}`;
    return this.#client.json({
      method: 'POST',
      path,
      body: JSON.stringify(body),
      repeatable: false,
    });
  }

  #change<T>(
    id: string,
    what: 'cancel' | 'retry',
    { reason, repeatable }: { reason: string | undefined; repeatable: boolean },
  ): Promise<T> {
    const path = `/runs/${encodeURIComponent(id)}/${what}`;
    return this.#client.json({
      method: 'POST',
      path,
      body: JSON.stringify({ reason }),
      repeatable,
      expects: ['id'],
    });
  }
}

function queryOf(fields: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) query.set(name, `${value}`);
  }
  return query.size === 0 ? '' : `?${query}`;
}
