import { type Growth, isFailure } from '../model/graph.ts';
import type { AttemptRecord, Run, Task } from '../model/run.ts';
import type { TaskState } from '../model/states.ts';
import { toldError } from './told-error.ts';

/** What the row of an ended run tells about its tasks; read back with `parseDetail`. */
export interface RunDetail {
  readonly tasks: readonly DetailTask[];
  /** How its graph grew beyond the job version. */
  readonly growth: readonly Growth[];
  /** The task whose output is the run's; null where it has none. */
  readonly result: number | null;
  /** The bytes of the row are the run's output as they are, not those of its tasks in a row. */
  readonly isWhole: boolean;
}

export interface DetailTask {
  readonly state: TaskState;
  readonly error: string | null;
  readonly attempts: readonly AttemptRecord[];
  /** Of a wait: from when until when. */
  readonly wait?: Waited;
  /** Where its output lies among the bytes of the row; null where it has none, or it is not kept. */
  readonly output: { readonly at: number; readonly bytes: number } | null;
  /** The run that it waited for. */
  readonly nested?: string;
  /** Why it failed, where no attempt of this run tells. */
  readonly failedBy?: string;
}

export interface Waited {
  readonly from: number;
  /** 0 while it waits. */
  readonly until: number;
}

interface Last {
  readonly task: Task;
  readonly state: TaskState;
  readonly error: string | null;
  readonly attempt: AttemptRecord | null;
  readonly output: Uint8Array | null;
  /** The reason of a failure without an attempt; null otherwise. */
  readonly failedBy: string | null;
}

/** Outputs of one run that its row keeps; beyond that it keeps the run's own only. */
const OUTPUTS_BYTES_MAX = 8_388_608;

/**
 * Compact JSON, because every task ever finished keeps it:
 * [1, [state, error, [[number, worker, assigned, started, ended, outcome], …]], …]
 * with times relative to the run's submission. Runs of several tasks keep their outputs one behind
 * the other, and how they grew; tasks that waited also from when until when, and for which run, and
 * tasks that failed without an attempt the reason:
 * [2, result, growth, [output lengths], [state, error, attempts, [from, until, nested run], reason], …]
 */
export function encodeDetail(run: Run, last: Last, endedAt: number): string {
  const { tasks } = run;
  let text = '[1';
  if (tasks.length > 1) {
    const lengths = outputsOf(run, last)?.map((output) => output?.length ?? null) ?? null;
    const head = [resultOf(run, last), run.graph?.growth ?? [], lengths];
    text = `[2,${JSON.stringify(head).slice(1, -1)}`;
  }
  for (const task of tasks) {
    const ending = task === last.task;
    const state = ending ? last.state : task.state;
    const error = toldError(task, state, ending ? last.error : task.error);
    text += `,["${state}",${error === null ? 'null' : JSON.stringify(error)},[`;
    let separator = '';
    if (task.history !== null) {
      for (const record of task.history) {
        text += separator + encodeRecord(record, run.ms);
        separator = ',';
      }
    }
    if (ending && last.attempt !== null) text += separator + encodeRecord(last.attempt, run.ms);
    text += ']';
    const failedBy = ending ? last.failedBy : (task.part?.failedBy ?? null);
    if (task.part !== null || failedBy !== null) {
      text += encodeRest(task, { endsAt: ending ? endedAt : 0, base: run.ms, failedBy });
    }
    text += ']';
  }
  return `${text}]`;
}

/** The outputs that the row keeps, one behind the other; null where there are none. */
export function packOutputs(run: Run, last: Last): Uint8Array | null {
  const all = outputsOf(run, last);
  if (all === null) return ownOutput(run, last);
  const outputs = all.filter((output) => output !== null);
  if (outputs.length === 0) return null;
  const packed = new Uint8Array(outputs.reduce((sum, output) => sum + output.length, 0));
  let at = 0;
  for (const output of outputs) {
    packed.set(output, at);
    at += output.length;
  }
  return packed;
}

/** Null where they are too much to keep. */
function outputsOf(run: Run, last: Last): (Uint8Array | null)[] | null {
  const outputs = run.tasks.map((task) => (task === last.task ? last.output : task.output));
  const bytes = outputs.reduce((sum, output) => sum + (output?.length ?? 0), 0);
  return bytes <= OUTPUTS_BYTES_MAX ? outputs : null;
}

function ownOutput(run: Run, last: Last): Uint8Array | null {
  const result = resultOf(run, last);
  const task = result === null ? undefined : run.tasks[result];
  if (task === undefined) return null;
  return task === last.task ? last.output : task.output;
}

/** The last task that nobody waits for and that succeeded: in the order of the definition, not of time. */
function resultOf(run: Run, last: Last): number | null {
  for (let i = run.tasks.length - 1; i >= 0; i--) {
    const task = run.tasks[i] as Task;
    if (task.spec.before.length > 0 || task.part?.addedBefore || task.part?.group) continue;
    if ((task === last.task ? last.state : task.state) === 'SUCCEEDED') return i;
  }
  return null;
}

function encodeRest(
  task: Task,
  { endsAt, base, failedBy }: { endsAt: number; base: number; failedBy: string | null },
): string {
  const wait = encodeWait(task, endsAt, base);
  return failedBy === null ? wait : `${wait || ',null'},${JSON.stringify(failedBy)}`;
}

function encodeWait({ part }: Task, endsAt: number, base: number): string {
  if (part === null || part.waitsSince === 0) return '';
  const nested = part.nested === null ? '' : `,"${part.nested}"`;
  return `,[${part.waitsSince - base},${(endsAt || part.waitedUntil) - base}${nested}]`;
}

function encodeRecord(record: AttemptRecord, base: number): string {
  const started = record.startedAt === 0 ? 'null' : record.startedAt - base;
  return `[${record.number},${JSON.stringify(record.worker)},${record.assignedAt - base},${started},${record.endedAt - base},"${record.outcome}"]`;
}

type RecordLine = [number, string, number, number | null, number, string];
type WaitLine = [from: number, until: number, nested?: string];
type TaskLine = [TaskState, string | null, RecordLine[], (WaitLine | null)?, string?];

export function parseDetail(text: string, base: number): RunDetail {
  const [version, ...rest] = JSON.parse(text) as [number, ...unknown[]];
  if (version === 1) {
    const lines = rest as TaskLine[];
    const tasks = lines.map((line) => taskOf(line, base, null));
    return { tasks, growth: [], result: null, isWhole: true };
  }
  if (version !== 2) throw new RangeError(`unknown run detail version ${version}`);
  const [result, growth, lengths, ...lines] = rest as [
    number | null,
    Growth[],
    (number | null)[] | null,
    ...TaskLine[],
  ];
  let at = 0;
  const tasks = lines.map((line, i) => {
    const bytes = lengths?.[i] ?? null;
    const output = bytes === null ? null : { at, bytes };
    at += bytes ?? 0;
    return taskOf(line, base, output);
  });
  return { tasks, growth, result, isWhole: lengths === null };
}

function taskOf(
  [state, error, attempts, wait, failedBy]: TaskLine,
  base: number,
  output: DetailTask['output'],
): DetailTask {
  return {
    state,
    // Rows of older versions keep what a try before the last one said.
    error: state === 'SUCCEEDED' ? null : error,
    ...(wait == null ? {} : { wait: { from: wait[0] + base, until: wait[1] + base } }),
    attempts: attempts.map(([number, worker, assigned, started, ended, outcome]) => ({
      number,
      worker,
      assignedAt: assigned + base,
      startedAt: started === null ? 0 : started + base,
      endedAt: ended + base,
      outcome,
    })),
    output,
    ...(wait?.[2] === undefined ? {} : { nested: wait[2] }),
    ...(failedBy === undefined ? {} : { failedBy }),
  };
}

/** The run's own output among the bytes of its row. */
export function resultOutput(detail: RunDetail, packed: Uint8Array | null): Uint8Array | null {
  if (detail.isWhole) return packed;
  return detail.result === null ? null : taskOutput(detail, detail.result, packed);
}

export function taskOutput(
  detail: RunDetail,
  task: number,
  packed: Uint8Array | null,
): Uint8Array | null {
  if (detail.isWhole) return detail.tasks.length === 1 ? packed : null;
  const place = detail.tasks[task]?.output ?? null;
  if (place === null || packed === null) return null;
  return packed.subarray(place.at, place.at + place.bytes);
}

/** The reason of a task that failed; undefined for one that did not, and where it is not known. */
export function failureOf({
  state,
  attempts,
  failedBy,
}: Pick<DetailTask, 'state' | 'attempts' | 'failedBy'>): string | undefined {
  if (!isFailure(state)) return undefined;
  return failedBy ?? attempts.at(-1)?.outcome;
}
