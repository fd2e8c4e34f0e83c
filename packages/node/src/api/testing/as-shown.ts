import { durationMs, formatDuration, instantMs, priorityName } from '@signalbox/protocol';

const TIMES: ReadonlySet<string> = new Set([
  ...['timeout', 'progressTimeout', 'gracePeriod', 'expectedDuration', 'for', 'delay', 'maxDelay'],
]);

/** Members whose values are the author's own: nothing in them is a setting. */
const OPAQUE: ReadonlySet<string> = new Set([
  'inputs',
  'labels',
  'workerLabels',
  'prefer',
  'env',
  'headers',
]);

/**
 * What a node shows of a job definition: durations as text, instants in UTC to the millisecond, names of
 * priorities, back-offs with their type and defaults. Written apart from the node's own translation.
 */
export function asShown(value: unknown, name = ''): unknown {
  if (OPAQUE.has(name)) return value;
  if (name === 'priority') return priorityName(value) ?? value;
  if (name === 'backoff') return backoffShown(value);
  if (name === 'until') return instantShown(value);
  if (TIMES.has(name)) return timeShown(value);
  if (Array.isArray(value)) return value.map((each) => asShown(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, each]) => [member, asShown(each, member)]),
  );
}

function backoffShown(value: unknown): unknown {
  if (Array.isArray(value)) return { type: 'list', delays: value.map(timeShown) };
  const { type, delays } = value as { type: string; delays?: unknown[] };
  if (type === 'list') return { type, delays: delays?.map(timeShown) };
  const defaults = type === 'exponential' ? { factor: 2, maxDelay: '1d', jitter: 0 } : {};
  const given = Object.entries(value as object).map(([member, each]) => [
    member,
    TIMES.has(member) ? timeShown(each) : each,
  ]);
  return { ...defaults, ...Object.fromEntries(given) };
}

function timeShown(value: unknown): unknown {
  const ms = durationMs(value);
  return ms === null ? value : formatDuration(ms);
}

function instantShown(value: unknown): unknown {
  const ms = instantMs(value);
  return ms === null ? value : new Date(ms).toISOString();
}
