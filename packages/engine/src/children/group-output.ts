import { decodeText, encodeText } from '../facts/text.ts';
import { taskName } from '../model/graph.ts';
import type { Task } from '../model/run.ts';
import type { TaskState } from '../model/states.ts';
import { memberAt } from './member-at.ts';

/** What a fan-out gave as a whole, put together when somebody looks; written down only as the output of a run. */
export interface GroupOutput<Result extends object = { readonly output?: unknown }> {
  /** How many children it had. */
  readonly total: number;
  readonly results: readonly (Result & { readonly partition: number })[];
  readonly failures: readonly {
    readonly task: string;
    readonly partition: number;
    readonly state: TaskState;
    readonly error: string | null;
  }[];
}

/** `resultOf` reads what a child gave: the engine knows JSON and nothing else. */
export function groupOutput<Result extends object>(
  group: Task,
  resultOf: (output: Uint8Array | null) => Result,
): GroupOutput<Result> {
  const children = membersOf(group);
  return {
    total: children.length,
    results: children
      .filter(({ state }) => state === 'SUCCEEDED')
      .map((child) => ({ partition: child.part?.partition ?? 0, ...resultOf(child.output) })),
    failures: children
      .filter(({ state }) => state !== 'SUCCEEDED')
      .map((child) => ({
        task: taskName(child),
        partition: child.part?.partition ?? 0,
        state: child.state,
        error: child.error,
      })),
  };
}

/**
 * The value at a path of what the fan-out gave. The lists as such are only counted: to read a hundred
 * thousand outputs in order to learn how many there are would hold up everybody else.
 */
export function groupValueAt(group: Task, path: string): unknown {
  const total = group.part?.childCount ?? 0;
  if (path === '') return { total };
  if (path !== 'results' && path !== 'failures') {
    return memberAt(groupOutput(group, jsonResult), path);
  }
  let succeeded = 0;
  for (const { state } of membersOf(group)) if (state === 'SUCCEEDED') succeeded++;
  return path === 'results' ? succeeded : total - succeeded;
}

/** What conditions see of a fan-out is bounded as every other output is that they see. */
const BYTES_MAX = 262_144;
/** What a result or a failure costs beside its output or error. */
const ENTRY_BYTES = 32;

export function isTooLargeToSee(group: Task): boolean {
  let bytes = 0;
  for (const { output, error } of membersOf(group)) {
    bytes += ENTRY_BYTES + (output?.length ?? 0) + (error?.length ?? 0);
    if (bytes > BYTES_MAX) return true;
  }
  return false;
}

/** As a condition sees it; beyond the bound only how many there were. */
export function groupOutputSeen(group: Task): Uint8Array {
  const seen = isTooLargeToSee(group)
    ? { total: group.part?.childCount ?? 0 }
    : groupOutput(group, jsonResult);
  return encodeText(JSON.stringify({ state: group.state, ...seen }));
}

/** As the output of a fan-out that succeeded; null beyond the bound, where a task has to gather it. */
export function groupResult(group: Task): Uint8Array | null {
  if (isTooLargeToSee(group)) return null;
  const gave = groupOutput(group, jsonResult);
  return encodeText(JSON.stringify({ state: 'SUCCEEDED', ...gave }));
}

function membersOf({ part, run }: Task): Task[] {
  if (part === null || part.firstChild < 0) return [];
  return run.tasks.slice(part.firstChild, part.firstChild + part.childCount);
}

function jsonResult(output: Uint8Array | null): { output?: unknown } {
  if (output === null) return {};
  try {
    return { output: JSON.parse(decodeText(output)) as unknown };
  } catch {
    // Any byte string is a valid output.
    return {};
  }
}
