import { createHash } from 'node:crypto';
import {
  type Answer,
  type Command,
  formatRunId,
  type JobSpec,
  partitionOf,
  type RunHead,
  reservedKey,
  type ScheduleSpec,
  scheduleSpec,
} from '@signalbox/engine';
import type { Backfill, Backfilled, Submitted } from '@signalbox/protocol';
import { type InputWindow, windowInput } from '../../cel/window-input.ts';
import { ApiError, type Caller, type NodeContext } from '../../context/index.ts';
import { noJob, refusal, shown } from '../../errors/refusals.ts';
import { operation } from '../common/operation.ts';
import { iso, instantOf as readInstant } from '../common/read-time.ts';
import { noneNamed } from '../definitions/named-definitions.ts';
import { jobHeads } from '../jobs/job-heads.ts';
import { windowRunsSince } from '../runs/window-runs.ts';
import { liveSchedule, readSchedule } from './schedules.ts';
import { windowsOf } from './windows-of.ts';

const WINDOWS_MAX = 10_000;
const AT_ONCE = 1_000;

type Submit = Command & { kind: 'submit' };

/**
 * Creates runs for past windows: for those without a run, or for all. It decides no window, so undecided windows are
 * left to the schedule. Windows of a pause without catch-up never fire, so they count as past immediately. A rate is
 * implemented by due times, which are durable: it does not depend on this process.
 */
export const backfillSchedule = operation(
  async (
    context,
    caller,
    params: { name: string; key?: string } & Backfill,
  ): Promise<Backfilled> => {
    const { name, only = 'missing', dryRun = false } = params;
    const { spec, overUpTo, owedUpTo, held } = await liveOf(context, caller, name);
    const [fromMs, untilMs] = [instantOf(params, 'from'), instantOf(params, 'until')];
    if (untilMs < fromMs) throw bad('until', 'until must not be before from');
    const windows = windowsBetween(spec, fromMs, Math.min(untilMs, overUpTo));
    const owedFrom = Math.max(fromMs, overUpTo + 1);
    const leftOut = windowsBetween(spec, owedFrom, Math.min(untilMs, owedUpTo)).length;
    const of = { job: spec.job, schedule: name, sinceMs: fromMs };
    const runs = windows.length === 0 ? [] : await windowRunsSince(context, caller.tenant, of);
    const taken = new Set([...held, ...runs.map(({ window }) => window.at)]);
    const missing = windows.filter((window) => !taken.has(window));
    const wanted = only === 'all' ? windows : missing;
    // Newest first: where a window has several, the first that was made stands for it.
    const first = new Map(runs.map(({ id, window }) => [window.at, id]));
    const existing = windows.flatMap((at) => {
      const run = first.get(at);
      return run === undefined ? [] : [{ window: iso(at), run }];
    });
    const left = leftOut === 0 ? {} : { leftOut };
    const counts = { dryRun, windows: windows.length, missing: missing.length, ...left, existing };
    if (dryRun) return { ...counts, items: wanted.map((at) => ({ window: iso(at) })) };
    const job = await readyJob(context, caller, spec.job);
    const key = params.key ?? caller.requestId;
    const commands = wanted.map((window, i) =>
      submission({ context, caller, spec, job, name, window, index: i, params, key }),
    );
    return { ...counts, items: await submitAll(context, commands, key) };
  },
);

/** A run on request, which belongs to no window and uses none (TRG-26). */
export const triggerSchedule = operation(
  async (context, caller, params: { name: string }): Promise<Submitted> => {
    const { spec } = await liveOf(context, caller, params.name);
    const job = await readyJob(context, caller, spec.job);
    const head: RunHead = { trigger: { kind: 'manual', of: params.name, by: caller.key } };
    // It is of no window: a template sees the moment in its place.
    const window = { at: context.loop.time.now(), schedule: params.name, kind: 'manual' } as const;
    const submit = command({ context, spec, job, head, window });
    const [answer] = await context.loop.executeAll([submit]);
    if (answer?.kind === 'refused') throw refusal(answer);
    if (answer?.kind !== 'accepted' && answer?.kind !== 'duplicate') {
      throw new ApiError('internal', 'the submission returned no result');
    }
    return { id: formatRunId(answer), job: spec.job, created: answer.kind === 'accepted' };
  },
);

function bad(field: string, message: string): ApiError {
  return new ApiError('invalid', message, { field });
}

function instantOf(params: Backfill, field: 'from' | 'until'): number {
  return readInstant(field, params[field], bad);
}

interface Live {
  readonly spec: ScheduleSpec;
  /** Windows up to here have fired, are held, or will not fire by themselves any more. */
  readonly overUpTo: number;
  /** Windows up to here, behind those, are caught up when the pause ends. */
  readonly owedUpTo: number;
  readonly held: readonly number[];
}

async function liveOf(context: NodeContext, caller: Caller, name: string): Promise<Live> {
  const definition = await readSchedule(context, caller, name);
  if (definition.deleted) throw noneNamed({ kind: 'schedule', name: name });
  const live = liveSchedule(context, definition);
  if (live === null) {
    throw new ApiError('not_owner', 'this node does not own the schedule; retry', {
      retryAfterSeconds: 1,
    });
  }
  const spec = scheduleSpec(JSON.parse(definition.body));
  const { decidedUpTo } = live;
  // A version that is not adopted yet may have ended the pause, and its windows are its own.
  const isPaused = spec.paused && live.version === definition.version;
  const pausedUpTo = isPaused ? Math.max(decidedUpTo, context.loop.time.now()) : decidedUpTo;
  const overUpTo = spec.afterPause === 'next' ? pausedUpTo : decidedUpTo;
  return { spec, overUpTo, owedUpTo: pausedUpTo, held: live.held ?? [] };
}

async function readyJob(context: NodeContext, caller: Caller, job: string): Promise<JobSpec> {
  const head = await jobHeads(context.loop).newest(caller.tenant, job);
  if (head === null) throw noJob(job);
  if (head.paused)
    throw new ApiError('job_paused', `the job ${shown(job)} is paused; resume the job first`);
  return head.spec;
}

function windowsBetween(spec: ScheduleSpec, fromMs: number, untilMs: number): number[] {
  const recurrence = windowsOf(spec);
  const windows: number[] = [];
  for (let at = recurrence.next(fromMs - 1); at !== null && at <= untilMs; ) {
    windows.push(at);
    if (windows.length > WINDOWS_MAX) {
      throw bad('until', `the range has more than ${WINDOWS_MAX} windows; use a shorter range`);
    }
    at = recurrence.next(at);
  }
  return windows;
}

function submission(of: {
  context: NodeContext;
  caller: Caller;
  spec: ScheduleSpec;
  job: JobSpec;
  name: string;
  window: number;
  index: number;
  params: Backfill;
  key: string;
}): Submit {
  const { context, caller, name, window, index, params, key } = of;
  const { only = 'missing', perMinute } = params;
  const waitMs = perMinute === undefined ? 0 : Math.floor((index * 60_000) / perMinute);
  // Asked for twice, a missing window gets one run; all of them are meant to run once more.
  const again = only === 'all' ? `/${createHash('sha256').update(key).digest('base64url')}` : '';
  const head: RunHead = {
    key: reservedKey(`backfill/${name}/${window}${again}`),
    ...(waitMs > 0 ? { dueAt: context.loop.time.now() + waitMs } : {}),
    trigger: { kind: 'backfill', of: name, by: caller.key },
    window: { schedule: name, at: window, planned: window, backfill: true },
  };
  return command({ ...of, head, window: { at: window, schedule: name, kind: 'backfill' } });
}

function command(of: {
  context: NodeContext;
  spec: ScheduleSpec;
  job: JobSpec;
  head: RunHead;
  window: InputWindow;
}): Submit {
  const { context, spec, job, head } = of;
  const partition = partitionOf(job.tenant, job.job, context.partitions);
  const input = spec.input === null ? null : inputBytes(spec.input, of.window);
  const priority = spec.class === null ? {} : { class: spec.class };
  return { kind: 'submit', partition, spec: job, head, input, ...priority };
}

function inputBytes(template: string, window: InputWindow): Uint8Array {
  const made = windowInput(template, window);
  if ('text' in made) return new TextEncoder().encode(made.text);
  throw new ApiError(
    'invalid',
    `the input of window ${iso(window.at)} cannot be computed: ${made.error}`,
  );
}

async function submitAll(
  { loop }: NodeContext,
  commands: readonly Submit[],
  key: string,
): Promise<Backfilled['items']> {
  const items: Backfilled['items'] = [];
  for (let i = 0; i < commands.length; i += AT_ONCE) {
    const chunk = commands.slice(i, i + AT_ONCE);
    const answers = await loop.executeAll(chunk);
    for (const [k, answer] of answers.entries()) {
      if (answer.kind === 'refused') throw i === 0 ? refusal(answer) : cutShort(answer, key);
      if (answer.kind === 'done') throw new ApiError('internal', 'a submission returned no result');
      const at = chunk[k]?.head.window?.at ?? 0;
      items.push({ window: iso(at), run: formatRunId(answer) });
    }
  }
  return items;
}

/** Part of the runs exist: a repeat under another key would make them a second time. */
function cutShort(answer: Answer & { kind: 'refused' }, key: string): ApiError {
  const { code, message, retryAfterSeconds } = refusal(answer);
  return new ApiError(
    code,
    `${message}; some runs were created before this error: repeat the request with the header Idempotency-Key: ${key}`,
    retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
  );
}
