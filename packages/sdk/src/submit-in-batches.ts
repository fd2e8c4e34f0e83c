import type { Submitted } from '@signalbox/protocol';
import type { PreparedSubmission } from './backend.ts';
import { batchLength } from './batch-length.ts';
import { SignalboxError } from './errors.ts';

/**
 * Submits any number, request by request, and answers in their order. The most urgent go first, and no request
 * has two priorities: a node under load refuses a request for the least urgent of it.
 */
export async function submitInBatches(params: {
  prepared: readonly PreparedSubmission[];
  priorityOf: (item: PreparedSubmission) => string;
  submitAll: (batch: readonly PreparedSubmission[]) => Promise<readonly Submitted[]>;
  /** Checked before each request. */
  signal: AbortSignal | undefined;
}): Promise<readonly Submitted[]> {
  const { prepared, signal } = params;
  const submitted: Submitted[] = new Array(prepared.length);
  let count = 0;
  for (const places of byPriority(prepared, params.priorityOf)) {
    for (let from = 0; from < places.length; ) {
      signal?.throwIfAborted();
      const at = (i: number) => prepared[places[from + i] as number] as PreparedSubmission;
      const length = batchLength(places.length - from, at);
      const batch: PreparedSubmission[] = [];
      for (let i = 0; i < length; i++) batch.push(at(i));
      const answers = await params.submitAll(batch).catch((error: unknown) => {
        throw afterOthers(error, { count, of: prepared.length });
      });
      for (let i = 0; i < answers.length; i++) {
        submitted[places[from + i] as number] = answers[i] as Submitted;
      }
      from += length;
      count += length;
    }
  }
  return submitted;
}

/** Places of the submissions of each priority, the most urgent first. */
function byPriority(
  prepared: readonly PreparedSubmission[],
  priorityOf: (item: PreparedSubmission) => string,
): readonly (readonly number[])[] {
  const places = new Map<string, number[]>();
  let last: string | null = null;
  let list: number[] = [];
  for (let i = 0; i < prepared.length; i++) {
    const priority = priorityOf(prepared[i] as PreparedSubmission);
    // Mostly all of them have one.
    if (priority !== last) {
      list = places.get(priority) ?? [];
      places.set(priority, list);
      last = priority;
    }
    list.push(i);
  }
  return [...places].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** The error says that a part was accepted; otherwise a caller would submit that part twice. */
function afterOthers(error: unknown, { count, of }: { count: number; of: number }): unknown {
  if (count === 0 || !(error instanceof SignalboxError)) return error;
  const message = `${count} of ${of} submissions were accepted before this error: ${error.message}`;
  return new SignalboxError(error.code, message, { ...error, mayBeDone: true, cause: error });
}
