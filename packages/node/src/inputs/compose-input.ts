import { type InputSource, isFannedOut, memberAt, type Run, type Task } from '@signalbox/engine';
import { looksLikeBlobRef } from '@signalbox/protocol';
import { parentResult, parseJson } from './parents-document.ts';

/** The input of a task, or the reason why it cannot be composed. */
export type Composed = { readonly input: Uint8Array | null } | { readonly error: string };

/**
 * Composes the input of a task: the run's input, or an object with the members that its definition names. A child
 * of a fan-out also receives its index, the number of children, and its item.
 */
export function composeInput(
  task: Task,
  items: (from: Task | Run, path: string) => unknown,
): Composed {
  const { run, part, spec } = task;
  const { inputs, fanOut } = spec.step;
  const group = part?.group ?? null;
  if (inputs === null && group === null) return { input: run.input };
  const object: Record<string, unknown> = {};
  for (const [name, source] of Object.entries(inputs ?? {})) {
    const found = memberOf(task, source);
    if ('error' in found)
      return { error: `the input ${name}${found.at ?? ''} is not available: ${found.error}` };
    if (found.value !== undefined) object[name] = found.value;
  }
  if (group !== null && fanOut !== null && part !== null) {
    object['partition'] = part.partition;
    object['total'] = group.part?.childCount ?? 0;
    const list = items(run.tasks[fanOut.from] ?? run, fanOut.path);
    if (Array.isArray(list)) object['item'] = list[part.partition];
  }
  return { input: new TextEncoder().encode(JSON.stringify(object)) };
}

/** `at`: the position in a list or an object, `[0].name`. */
type Member = { readonly value: unknown } | { readonly error: string; readonly at?: string };

function memberOf(task: Task, source: InputSource): Member {
  const { run } = task;
  const { task: from, path = '' } = source;
  if (Object.hasOwn(source, 'value')) return { value: source.value };
  if (source.list !== undefined) return listOf(task, source.list);
  if (source.object !== undefined) return objectOf(task, source.object);
  if (from === undefined) return fromBytes(run.input, path, 'the input of the run');
  const parent = run.tasks.find(({ part, spec }) => spec.name === from && part?.group == null);
  if (parent === undefined) return { error: `there is no task ${from}` };
  if (isFannedOut(parent)) return { value: memberAt(parentResult(parent), path) };
  // A failed or skipped parent has no output; a task that runs nevertheless gets no value.
  return fromBytes(parent.output, path, `the output of ${from}`);
}

/** Keeps positions: a missing value becomes null. */
function listOf(task: Task, sources: readonly InputSource[]): Member {
  const values: unknown[] = [];
  for (const [i, source] of sources.entries()) {
    const found = memberOf(task, source);
    if ('error' in found) return { ...found, at: `[${i}]${found.at ?? ''}` };
    values.push(found.value ?? null);
  }
  return { value: values };
}

function objectOf(task: Task, sources: Readonly<Record<string, InputSource>>): Member {
  const values: [string, unknown][] = [];
  for (const [name, source] of Object.entries(sources)) {
    const found = memberOf(task, source);
    if ('error' in found) return { ...found, at: `.${name}${found.at ?? ''}` };
    if (found.value !== undefined) values.push([name, found.value]);
  }
  return { value: Object.fromEntries(values) };
}

function fromBytes(bytes: Uint8Array | null, path: string, what: string): Member {
  if (bytes === null) return { value: undefined };
  if (looksLikeBlobRef(bytes))
    return { error: `${what} is too large for a reference to its content` };
  const value = parseJson(bytes);
  if (value === undefined) return { error: `${what} is not JSON` };
  return { value: memberAt(value, path) };
}
