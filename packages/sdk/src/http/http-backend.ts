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
  EventsFilter,
  LogsQuery,
  PreparedSubmission,
  RunsQuery,
} from '../backend.ts';
import type { WorkingWorker, WorkOn } from '../work-on.ts';
import { HttpClient, type HttpClientParams } from './http-client.ts';
import { LongWaits } from './long-waits.ts';
import { remoteEvents } from './remote-events.ts';
import { remoteWorker } from './remote-worker.ts';
import { sendAhead } from './send-ahead.ts';
import { type SubmissionChunk, submissionChunks } from './submission-chunks.ts';

/** A node that is asked over HTTP. */
export class HttpBackend implements Backend {
  readonly isRemote = true;
  readonly #client: HttpClient;
  readonly #params: HttpClientParams;
  readonly #waits = new LongWaits();
  readonly #closing = new AbortController();

  constructor(params: HttpClientParams) {
    this.#params = params;
    this.#client = new HttpClient(params);
  }

  define(name: string, definition: JobDefinition): Promise<Job> {
    return this.#client.json({
      method: 'PUT',
      path: `/jobs/${encodeURIComponent(name)}`,
      body: JSON.stringify(definition),
      repeatable: true,
    });
  }

  async submitAll(items: readonly PreparedSubmission[]): Promise<readonly Submitted[]> {
    const light: PreparedSubmission[] = [];
    // One after the other: many large inputs at once would fill the node's memory.
    for (const item of items) light.push(await sendAhead(this.#client, item));
    const answers: Submitted[] = [];
    for (const chunk of submissionChunks(light)) answers.push(...(await this.#submit(chunk)));
    return answers;
  }

  run(id: string, options: { waitMs?: number; signal?: AbortSignal | undefined }) {
    const { waitMs = 0, signal } = options;
    const read = (wait: number | undefined): Promise<RunView> => {
      const path = `/runs/${encodeURIComponent(id)}${queryOf({ waitMs: wait })}`;
      return this.#client.json({ method: 'GET', path, signal });
    };
    return waitMs === 0 ? read(undefined) : this.#waits.wait({ waitMs, signal, read });
  }

  runs(query: RunsQuery): Promise<Page<RunView>> {
    return this.#client.json({ method: 'GET', path: `/runs${queryOf(query)}` });
  }

  output(id: string): Promise<Uint8Array> {
    return this.#client.bytes({ method: 'GET', path: `/runs/${encodeURIComponent(id)}/output` });
  }

  async cancel(id: string, reason: string | undefined): Promise<void> {
    await this.#change(id, 'cancel', { reason, repeatable: true });
  }

  retry(id: string, reason: string | undefined): Promise<Submitted> {
    return this.#change(id, 'retry', { reason, repeatable: false });
  }

  diagnosis(taskId: string): Promise<Diagnosis> {
    const path = `/tasks/${encodeURIComponent(taskId)}/diagnosis`;
    return this.#client.json({ method: 'GET', path });
  }

  logs(id: string, query: LogsQuery): Promise<Page<LogLine>> {
    const path = `/runs/${encodeURIComponent(id)}/logs${queryOf(query)}`;
    return this.#client.json({ method: 'GET', path });
  }

  events(filter: EventsFilter, signal: AbortSignal): AsyncIterable<BoxEvent> {
    const { run, job } = filter;
    const path =
      run === undefined ? `/events${queryOf({ job })}` : `/runs/${encodeURIComponent(run)}/events`;
    const either = AbortSignal.any([signal, this.#closing.signal]);
    return remoteEvents({ client: this.#client, path, signal: either });
  }

  work(params: WorkOn): Promise<WorkingWorker> {
    return remoteWorker(this.#params, params);
  }

  close(): Promise<void> {
    this.#closing.abort();
    return this.#client.destroy();
  }

  async #submit(chunk: SubmissionChunk): Promise<readonly Submitted[]> {
    const request = { method: 'POST', body: chunk.body, repeatable: true } as const;
    if (chunk.single) return [await this.#client.json<Submitted>({ ...request, path: '/runs' })];
    const { items } = await this.#client.json<Page<Submitted>>({ ...request, path: '/runs/batch' });
    return items;
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
