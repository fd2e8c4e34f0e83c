import { isWithin, LIMITS, type LimitName } from '../limits.ts';
import { isExitCode } from './exit-code.ts';
import { FrameError } from './frame-error.ts';
import type { Ref } from './frames.ts';

/** Whether a value is valid for the field. Written by hand, because it runs for every frame. */
type Check = (value: unknown) => boolean;
type Row = Readonly<Record<string, Check>>;
/** A list, because it is iterated for every frame. */
type Fields = readonly (readonly [field: string, check: Check])[];

/** Characters of a name and of a text; docs/worker-protocol.md is compared with these. */
export const NAME_MAX = 256;
export const TEXT_MAX = 65_536;
export const LIST_MAX = 10_000;
/** Sums of resources may exceed the limit of one task; every count on the link is below this. */
export const NUMBER_MAX = LIMITS['resources.cpuMilli'].max;

const text: Check = (v) => typeof v === 'string' && v.length <= TEXT_MAX && isClean(v);
const name: Check = (v) => typeof v === 'string' && v !== '' && v.length <= NAME_MAX && isClean(v);
const whole: Check = (v) => Number.isSafeInteger(v) && (v as number) >= 0;
const amount: Check = (v) => whole(v) && (v as number) <= NUMBER_MAX;
const within =
  (limit: LimitName): Check =>
  (v) =>
    isWithin(limit, v);
const finite: Check = (v) => typeof v === 'number' && Number.isFinite(v);
const flag: Check = (v) => typeof v === 'boolean';
const bytes: Check = (v) => v instanceof Uint8Array;
const ref: Check = (v) =>
  Array.isArray(v) &&
  v.length === 6 &&
  whole(v[0]) &&
  whole(v[1]) &&
  whole(v[2]) &&
  whole(v[3]) &&
  whole(v[4]) &&
  whole(v[5]);
/** The fields of a nested value, so that an error can name the invalid one. */
const inside = new WeakMap<Check, (value: object) => Fields | undefined>();
const record: Check = (v) => typeof v === 'object' && v !== null && !Array.isArray(v);

const oneOf = (words: readonly string[]): Check => {
  const allowed = new Set<unknown>(words);
  return (v) => allowed.has(v);
};
const orNull = (check: Check): Check => {
  const either: Check = (v) => v === null || check(v);
  const fields = inside.get(check);
  if (fields !== undefined) inside.set(either, fields);
  return either;
};
const optional = (check: Check): Check => {
  const either: Check = (v) => v === undefined || check(v);
  const fields = inside.get(check);
  if (fields !== undefined) inside.set(either, fields);
  return either;
};
const list =
  (check: Check): Check =>
  (v) =>
    Array.isArray(v) && v.length <= LIST_MAX && v.every(check);
const shape = (row: Row): Check => {
  const fields = Object.entries(row);
  const check: Check = (v) => record(v) && badField(v as object, fields) === null;
  inside.set(check, () => fields);
  return check;
};
const texts: Check = (v) => {
  if (!record(v)) return false;
  const entries = Object.entries(v as object);
  return entries.length <= LIST_MAX && entries.every(([key, value]) => name(key) && text(value));
};

const resources = shape({
  cpuMilli: amount,
  memoryMb: amount,
  gpu: amount,
  diskMb: amount,
  slots: amount,
});

const result: Check = (v) => {
  if (!record(v)) return false;
  const fields = RESULTS[(v as { kind: string }).kind];
  return fields !== undefined && badField(v as object, fields) === null;
};
inside.set(result, (v) => RESULTS[(v as { kind: string }).kind]);
const RESULTS: Readonly<Record<string, Fields>> = table({
  succeeded: { exitCode: optional(isExitCode), durationMs: optional(whole) },
  failed: {
    error: text,
    class: optional(oneOf(['transient', 'permanent', 'resource'])),
    exitCode: optional(isExitCode),
    retryAfterMs: optional(within('report.retryAfter')),
    durationMs: optional(whole),
  },
  stopped: {},
});

const progress = shape({ ref, value: finite });

const window = shape({
  schedule: name,
  at: (v) => Number.isSafeInteger(v),
  kind: oneOf(['scheduled', 'catchUp', 'backfill']),
});

const FROM_WORKER = table({
  hello: {
    protocol: amount,
    key: optional(text),
    worker: name,
    instance: name,
    zone: name,
    labels: texts,
    executors: list(name),
    total: resources,
    foreignUse: resources,
    holds: list(ref),
    packs: optional(flag),
  },
  beat: { foreignUse: resources, progress: list(progress) },
  accept: { refs: list(ref) },
  refuse: { ref, foreignUse: orNull(resources) },
  finish: { ref, result, output: orNull(bytes) },
  checkpoint: { ref, state: bytes },
  extend: { ref, byMs: within('report.extend') },
  log: { ref, stream: oneOf(['stdout', 'stderr', 'log']), number: whole, text: bytes },
  drain: {},
  bye: {},
});

const FROM_NODE = table({
  welcome: { protocol: amount, node: name, heartbeatMs: amount, packs: optional(flag) },
  /** Only seen by the codec: the common fields of the `assign` frames that follow. */
  about: {
    tenant: name,
    job: name,
    jobVersion: whole,
    task: name,
    executor: name,
    work: orNull(record),
    request: resources,
    class: oneOf(['P0', 'P1', 'P2']),
    graceMs: within('task.gracePeriod'),
  },
  assign: {
    ref,
    /** Checked when its own frame was read. */
    about: record,
    run: name,
    timeoutMs: orNull(whole),
    trace: optional(text),
    input: orNull(bytes),
    checkpoint: orNull(bytes),
    task: optional(name),
    parents: optional(bytes),
    window: optional(window),
  },
  abort: { ref, graceMs: within('task.gracePeriod'), why: text },
  confirm: { refs: list(ref) },
  stale: { ref },
  extended: { ref, granted: flag, timeoutMs: orNull(whole) },
  probe: { adopted: optional(list(ref)) },
  restate: {},
  drain: {},
  drained: {},
});

/** The fields of every kind of result; docs/worker-protocol.md is compared with it. */
export const RESULT_FIELDS: Readonly<Record<string, readonly string[]>> = fieldsOf(RESULTS);

/** The fields of every frame; docs/worker-protocol.md is compared with it. */
export const FRAME_FIELDS: Readonly<
  Record<'fromWorker' | 'fromNode', Readonly<Record<string, readonly string[]>>>
> = {
  fromWorker: fieldsOf(FROM_WORKER),
  fromNode: fieldsOf(FROM_NODE),
};

type Frame = Readonly<Record<string, unknown>>;

/** The field of a worker's frame that cannot be read, as `finish.result.retryAfterMs`; null for none. */
export function workerFrameProblem(frame: Frame): string | null {
  return problemOf(frame, FROM_WORKER);
}

/** The same of a node's frame, `about` included. */
export function nodeFrameProblem(frame: Frame): string | null {
  return problemOf(frame, FROM_NODE);
}

export function isRef(value: unknown): value is Ref {
  return ref(value);
}

/** From 0 to 2^53 − 1. */
export function isWhole(value: unknown): boolean {
  return whole(value);
}

export function isProgress(value: unknown): boolean {
  return progress(value);
}

/** Unknown fields are ignored: a newer version may send more. */
function problemOf(frame: Frame, kinds: Readonly<Record<string, Fields>>): string | null {
  const kind = frame['kind'] as string;
  const fields = kinds[kind];
  if (fields === undefined)
    throw new FrameError(`unknown frame kind ${JSON.stringify(kind.slice(0, 64))}`);
  const wrong = badField(frame, fields);
  if (wrong === null) return null;
  const check = fields.find(([field]) => field === wrong)?.[1] as Check;
  const value = frame[wrong];
  const within = record(value) ? inside.get(check)?.(value as object) : undefined;
  const deeper = within === undefined ? null : badField(value as object, within);
  return deeper === null ? `${kind}.${wrong}` : `${kind}.${wrong}.${deeper}`;
}

function badField(value: object, fields: Fields): string | null {
  for (const [field, check] of fields) {
    if (!check((value as Record<string, unknown>)[field])) return field;
  }
  return null;
}

function fieldsOf(rows: Readonly<Record<string, Fields>>): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(rows).map(([kind, fields]) => [kind, fields.map(([field]) => field)]),
  );
}

/** Without a prototype: `constructor` is not the name of a frame. */
function table(rows: Readonly<Record<string, Row>>): Readonly<Record<string, Fields>> {
  const fields = Object.create(null) as Record<string, Fields>;
  for (const [kind, row] of Object.entries(rows)) fields[kind] = Object.entries(row);
  return fields;
}

/** The stores refuse NUL and lone surrogates; so does the link, before anything is decided. */
function isClean(value: string): boolean {
  return !value.includes('\u0000') && value.isWellFormed();
}
