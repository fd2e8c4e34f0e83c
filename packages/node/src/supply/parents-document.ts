import { parentsOf, type Task, taskName } from '@signalbox/engine';
import { decodeBlobRef } from '@signalbox/protocol';

/** What a task is told of a parent; docs/pipelines.md has the prose. */
export interface ParentTold {
  readonly state: string;
  /** The output where it is JSON. */
  readonly output?: unknown;
  /** The output where it is not JSON, as base64. */
  readonly bytes?: string;
  /** The output where it is kept by reference. */
  readonly blob?: { readonly name: string; readonly bytes: number; readonly sha256: string };
  readonly error?: string;
  /** Of a fan-out: how many children it had, what they gave, and which of them did not succeed. */
  readonly total?: number;
  readonly results?: readonly { readonly partition: number; readonly output?: unknown }[];
  readonly failures?: readonly {
    readonly task: string;
    readonly partition: number;
    readonly state: string;
    readonly error: string | null;
  }[];
}

/** Everything about the parents of a task, as one JSON document; null where it has none. */
export function parentsDocument(task: Task): Record<string, ParentTold> | null {
  const indexes = parentsOf(task);
  if (indexes.length === 0) return null;
  const { tasks } = task.run;
  return Object.fromEntries(
    indexes.map((index) => {
      const parent = tasks[index] as Task;
      return [parent.spec.name, told(parent)];
    }),
  );
}

export function told(parent: Task): ParentTold {
  const { state, error, part } = parent;
  const failure = state !== 'SUCCEEDED' && error !== null ? { error } : {};
  if (part === null || part.firstChild < 0) {
    return { state, ...failure, ...outputTold(parent.output) };
  }
  const { firstChild, childCount } = part;
  const children = parent.run.tasks.slice(firstChild, firstChild + childCount);
  const partition = (child: Task) => child.index - firstChild;
  return {
    state,
    ...failure,
    total: childCount,
    results: children
      .filter((child) => child.state === 'SUCCEEDED')
      .map((child) => ({ partition: partition(child), ...outputTold(child.output) })),
    failures: children
      .filter((child) => child.state !== 'SUCCEEDED')
      .map((child) => ({
        task: taskName(child),
        partition: partition(child),
        state: child.state,
        error: child.error,
      })),
  };
}

function outputTold(output: Uint8Array | null): Pick<ParentTold, 'output' | 'bytes' | 'blob'> {
  if (output === null) return {};
  const blob = decodeBlobRef(output);
  if (blob !== null) return { blob };
  const value = parseJson(output);
  return value === undefined
    ? { bytes: Buffer.from(output).toString('base64') }
    : { output: value };
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Undefined where it is no JSON: any byte string is a valid output. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}
