import {
  type GroupOutput,
  groupOutput,
  isFannedOut,
  parentsOf,
  type Task,
} from '@signalbox/engine';
import { decodeBlobRef } from '@signalbox/protocol';

/** The result of a parent, as its children receive it; described in docs/pipelines.md. */
export interface ParentResult extends ParentOutput, Partial<GroupOutput<ParentOutput>> {
  readonly state: string;
  readonly error?: string;
}

interface ParentOutput {
  /** The output, if it is JSON. */
  readonly output?: unknown;
  /** The output as base64, if it is not JSON. */
  readonly bytes?: string;
  /** The reference, if the output is in the blob store. */
  readonly blob?: { readonly name: string; readonly bytes: number; readonly sha256: string };
}

/** The results of all parents of a task, as one JSON document; null without parents. */
export function parentsDocument(task: Task): Record<string, ParentResult> | null {
  const indexes = parentsOf(task);
  if (indexes.length === 0) return null;
  const { tasks } = task.run;
  return Object.fromEntries(
    indexes.map((index) => {
      const parent = tasks[index] as Task;
      return [parent.spec.name, parentResult(parent)];
    }),
  );
}

export function parentResult(parent: Task): ParentResult {
  const { state, error } = parent;
  const failure = state !== 'SUCCEEDED' && error !== null ? { error } : {};
  const output = isFannedOut(parent)
    ? groupOutput(parent, parentOutput)
    : parentOutput(parent.output);
  return { state, ...failure, ...output };
}

function parentOutput(output: Uint8Array | null): ParentOutput {
  if (output === null) return {};
  const blob = decodeBlobRef(output);
  if (blob !== null) return { blob };
  const value = parseJson(output);
  return value === undefined
    ? { bytes: Buffer.from(output).toString('base64') }
    : { output: value };
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Undefined if the bytes are not JSON: any byte string is a valid output. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}
