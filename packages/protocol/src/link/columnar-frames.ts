import {
  type Column,
  fromColumn,
  fromRefColumns,
  ROWS_MAX,
  toColumn,
  toRefColumns,
} from './columns.ts';
import type { FromNode, FromWorker, Ref } from './frames.ts';

export type Assign = FromNode & { readonly kind: 'assign' };
export type Finish = FromWorker & { readonly kind: 'finish' };
type Head = Record<string, unknown>;

/** Whether an assignment has no optional fields; consecutive ones are sent as a columnar frame. */
export function isPlainAssign(frame: FromNode | FromWorker): frame is Assign {
  return (
    frame.kind === 'assign' &&
    frame.checkpoint === null &&
    frame.trace === undefined &&
    frame.task === undefined &&
    frame.parents === undefined &&
    frame.window === undefined
  );
}

/** Whether a result is a success without an exit code. */
export function isPlainFinish(frame: FromNode | FromWorker): frame is Finish {
  if (frame.kind !== 'finish' || frame.result.kind !== 'succeeded') return false;
  return frame.result.exitCode === undefined && frame.result.durationMs !== undefined;
}

/** Assignments with the same `about` as one columnar frame. */
export function columnarAssigns(frames: readonly Assign[], about: number): Head {
  return {
    kind: 'assigns',
    refs: toRefColumns(frames.map(({ ref }) => ref)),
    about,
    run: toColumn(frames.map(({ run }) => run)),
    timeoutMs: toColumn(frames.map(({ timeoutMs }) => timeoutMs)),
    input: lengthsOf(frames.map(({ input }) => input)),
  };
}

export function columnarFinishes(frames: readonly Finish[]): Head {
  return {
    kind: 'finishes',
    refs: toRefColumns(frames.map(({ ref }) => ref)),
    durationMs: toColumn(frames.map(({ result }) => durationOf(result))),
    output: lengthsOf(frames.map(({ output }) => output)),
  };
}

function durationOf(result: Finish['result']): number {
  return result.kind === 'succeeded' ? (result.durationMs ?? 0) : 0;
}

function lengthsOf(payloads: readonly (Uint8Array | null)[]): Column<number | null> {
  return toColumn(payloads.map((payload) => payload?.length ?? null));
}

/** Expands columnar frames to single ones, still with lengths in place of payloads. */
export function expandColumns(heads: readonly Head[]): Head[] {
  const all: Head[] = [];
  let room = ROWS_MAX;
  for (const head of heads) {
    const { kind, refs: columns } = head;
    if (columns === undefined || Array.isArray(columns)) {
      all.push(head);
      continue;
    }
    const refs = fromRefColumns(columns, room);
    room -= refs.length;
    if (kind === 'assigns') expandAssigns(head, refs, all);
    else if (kind === 'finishes') expandFinishes(head, refs, all);
    else all.push({ ...head, refs });
  }
  return all;
}

function expandAssigns(head: Head, refs: readonly Ref[], all: Head[]): void {
  const { about } = head;
  const run = fromColumn(head['run'], refs.length);
  const timeoutMs = fromColumn(head['timeoutMs'], refs.length);
  const input = fromColumn(head['input'], refs.length);
  for (let i = 0; i < refs.length; i++) {
    all.push({
      kind: 'assign',
      ref: refs[i],
      about,
      run: run[i],
      timeoutMs: timeoutMs[i],
      input: input[i],
      checkpoint: null,
    });
  }
}

function expandFinishes(head: Head, refs: readonly Ref[], all: Head[]): void {
  const durationMs = fromColumn(head['durationMs'], refs.length);
  const output = fromColumn(head['output'], refs.length);
  for (let i = 0; i < refs.length; i++) {
    const result = { kind: 'succeeded', durationMs: durationMs[i] };
    all.push({ kind: 'finish', ref: refs[i], result, output: output[i] });
  }
}
