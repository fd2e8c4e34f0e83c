import {
  type GroupOutput,
  groupOutput,
  isFannedOut,
  parentsOf,
  type Task,
} from '@signalbox/engine';
import { decodeBlobRef } from '@signalbox/protocol';

/** What a task is told of a parent; docs/pipelines.md has the prose. */
export interface ParentTold extends OutputTold, Partial<GroupOutput<OutputTold>> {
  readonly state: string;
  readonly error?: string;
}

interface OutputTold {
  /** The output where it is JSON. */
  readonly output?: unknown;
  /** The output where it is not JSON, as base64. */
  readonly bytes?: string;
  /** The output where it is kept by reference. */
  readonly blob?: { readonly name: string; readonly bytes: number; readonly sha256: string };
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
  const { state, error } = parent;
  const failure = state !== 'SUCCEEDED' && error !== null ? { error } : {};
  const gave = isFannedOut(parent) ? groupOutput(parent, outputTold) : outputTold(parent.output);
  return { state, ...failure, ...gave };
}

function outputTold(output: Uint8Array | null): OutputTold {
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
