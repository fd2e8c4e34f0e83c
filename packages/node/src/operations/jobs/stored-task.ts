import type { TaskDefinition as EngineTask } from '@signalbox/engine';
import {
  type Approval,
  type EventWait,
  executorOf,
  type HttpWork,
  type Sleep,
  type TaskDefinition,
  type WireHttpWork,
} from '@signalbox/protocol';
import { instantOf, msOf, shownDuration } from '../common/read-time.ts';
import { authoredRetry, storedRetry } from './stored-retry.ts';

type Times = Pick<
  TaskDefinition,
  'timeout' | 'progressTimeout' | 'gracePeriod' | 'expectedDuration'
>;
type Renamed =
  | keyof Times
  | 'resources'
  | 'workerLabels'
  | 'antiAffinity'
  | 'retry'
  | 'http'
  | Waits;
type Waits = 'sleep' | 'approval' | 'event';

/**
 * A task as its row keeps it: in the engine's form, with the engine's names and milliseconds, and with
 * what only people and workers read. Here alone one becomes the other.
 */
export type StoredTask = Omit<TaskDefinition, Renamed> &
  Pick<EngineTask, 'request' | 'labels' | 'apart' | 'retry' | 'timeouts' | Waits> & {
    readonly executor: string;
    readonly http?: StoredHttp;
  };

/** With references where the assignment has values. */
type StoredHttp = Omit<WireHttpWork, 'headers'> & Pick<HttpWork, 'headers'>;

/** `path` is the place of the task, for what is refused. */
export function storedTask(job: string, task: TaskDefinition, path: string): StoredTask {
  const { resources, workerLabels, antiAffinity, retry, http, sleep, approval, ...more } = task;
  const { event, timeout, progressTimeout, gracePeriod, expectedDuration, ...same } = more;
  const timeouts = storedTimes({ timeout, progressTimeout, gracePeriod, expectedDuration }, path);
  return {
    ...same,
    executor: executorOf(job, task),
    ...(resources === undefined ? {} : { request: resources }),
    ...(workerLabels === undefined ? {} : { labels: workerLabels }),
    ...(antiAffinity === undefined ? {} : { apart: antiAffinity }),
    ...(retry === undefined ? {} : { retry: storedRetry(retry, `${path}.retry`) }),
    ...(Object.keys(timeouts).length === 0 ? {} : { timeouts }),
    ...(http === undefined ? {} : { http: storedHttp(http, `${path}.http`) }),
    ...(sleep === undefined ? {} : { sleep: storedSleep(sleep, `${path}.sleep`) }),
    ...(approval === undefined ? {} : { approval: storedApproval(approval, `${path}.approval`) }),
    ...(event === undefined ? {} : { event: storedEvent(event, `${path}.event`) }),
  };
}

type Given<T> = { readonly [K in keyof T]-?: T[K] | undefined };

function storedTimes(times: Given<Times>, path: string): NonNullable<EngineTask['timeouts']> {
  const { timeout, progressTimeout, gracePeriod, expectedDuration } = times;
  const read = (name: keyof Times, value: number | string | null) =>
    value === null ? null : msOf(`task.${name}`, { field: `${path}.${name}`, value });
  return {
    ...(expectedDuration === undefined
      ? {}
      : { expectedMs: read('expectedDuration', expectedDuration) }),
    ...(timeout === undefined ? {} : { hardMs: read('timeout', timeout) }),
    ...(progressTimeout === undefined
      ? {}
      : { progressMs: read('progressTimeout', progressTimeout) }),
    ...(gracePeriod === undefined ? {} : { graceMs: read('gracePeriod', gracePeriod) as number }),
  };
}

function storedHttp({ timeout, maxRedirects, ...same }: HttpWork, path: string): StoredHttp {
  const field = `${path}.timeout`;
  return {
    ...same,
    ...(timeout === undefined
      ? {}
      : { timeoutMs: msOf('http.timeout', { field, value: timeout }) }),
    ...(maxRedirects === undefined ? {} : { redirectsMax: maxRedirects }),
  };
}

function storedSleep({ for: time, until }: Sleep, path: string): NonNullable<EngineTask['sleep']> {
  if (until !== undefined) return { until: instantOf(`${path}.until`, until) };
  if (time === undefined) return {};
  return { forMs: msOf('sleep.for', { field: `${path}.for`, value: time }) };
}

function storedApproval(
  { timeout, ...same }: Approval,
  path: string,
): NonNullable<EngineTask['approval']> {
  if (timeout === undefined) return same;
  return { ...same, timeoutMs: msOf('approval.timeout', waitAt(path, timeout)) };
}

function storedEvent(
  { timeout, filter, ...same }: EventWait,
  path: string,
): NonNullable<EngineTask['event']> {
  return {
    ...same,
    ...(filter === undefined ? {} : { when: filter }),
    ...(timeout === undefined ? {} : { timeoutMs: msOf('event.timeout', waitAt(path, timeout)) }),
  };
}

function waitAt(path: string, value: number | string) {
  return { field: `${path}.timeout`, value };
}

/** The task as its author would write it; durations as text. */
export function authoredTask(stored: StoredTask): TaskDefinition {
  const { executor: _, request, labels, apart, retry, timeouts, ...more } = stored;
  const { http, sleep, approval, event, ...same } = more;
  return {
    ...same,
    ...(request === undefined ? {} : { resources: { ...request } }),
    ...(labels === undefined ? {} : { workerLabels: { ...labels } }),
    ...(apart === undefined ? {} : { antiAffinity: [...apart] }),
    ...(retry === undefined ? {} : { retry: authoredRetry(retry) }),
    ...(timeouts === undefined ? {} : authoredTimes(timeouts)),
    ...(http === undefined ? {} : { http: authoredHttp(http) }),
    ...(sleep === undefined ? {} : { sleep: authoredSleep(sleep) }),
    ...(approval === undefined ? {} : { approval: authoredWait(approval) }),
    ...(event === undefined ? {} : { event: authoredEvent(event) }),
  };
}

function authoredTimes(timeouts: NonNullable<EngineTask['timeouts']>): Times {
  const { expectedMs, hardMs, progressMs, graceMs } = timeouts;
  return {
    ...(hardMs === undefined ? {} : { timeout: shownDuration(hardMs) }),
    ...(progressMs === undefined ? {} : { progressTimeout: shownDuration(progressMs) }),
    ...(graceMs === undefined ? {} : { gracePeriod: shownDuration(graceMs) }),
    ...(expectedMs === undefined ? {} : { expectedDuration: shownDuration(expectedMs) }),
  };
}

function authoredHttp({ timeoutMs, redirectsMax, ...same }: StoredHttp): HttpWork {
  return {
    ...same,
    ...(timeoutMs === undefined ? {} : { timeout: shownDuration(timeoutMs) }),
    ...(redirectsMax === undefined ? {} : { maxRedirects: redirectsMax }),
  };
}

function authoredSleep({ forMs, until }: NonNullable<EngineTask['sleep']>): Sleep {
  if (until !== undefined) return { until: new Date(until).toISOString() };
  return forMs === undefined ? {} : { for: shownDuration(forMs) };
}

function authoredEvent({ when, ...same }: NonNullable<EngineTask['event']>): EventWait {
  return { ...authoredWait(same), ...(when === undefined ? {} : { filter: when }) };
}

function authoredWait<W extends { readonly timeoutMs?: number }>({ timeoutMs, ...same }: W) {
  return { ...same, ...(timeoutMs === undefined ? {} : { timeout: shownDuration(timeoutMs) }) };
}
