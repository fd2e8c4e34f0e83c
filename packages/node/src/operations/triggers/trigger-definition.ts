import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { CLASSES, type ScheduleDefinition as StoredSchedule } from '@signalbox/engine';
import type {
  Duration,
  DurationName,
  ExpectedEvent,
  HookDefinition,
  TriggerDefinition,
} from '@signalbox/protocol';
import { ApiError, type NodeContext } from '../../context/index.ts';
import { compileTrigger } from '../../triggers/compile-trigger.ts';
import { secretProblem } from '../../triggers/hook-secret.ts';
import type {
  StoredExpectation,
  StoredHook,
  StoredTrigger,
} from '../../triggers/stored-trigger.ts';
import { classOfPriority } from '../common/priority-class.ts';
import { msOf, shownDuration } from '../common/read-time.ts';
import { toStored as toStoredSchedule } from '../schedules/schedule-definition.ts';

const INPUT_CHARS_MAX = 65_536;

function bad(field: string, message: string): ApiError {
  return new ApiError('invalid', message, { field: `definition.${field}` });
}

interface About {
  readonly tenant: string;
  readonly name: string;
  readonly now: number;
  /** What is saved so far; its secret and its times go on. */
  readonly was: StoredTrigger | null;
}

/** Validates a definition and converts it to its stored form; a new secret is returned once. */
export function toStored(
  context: NodeContext,
  definition: TriggerDefinition,
  about: About,
): { readonly stored: StoredTrigger; readonly secret: string | null } {
  checkMatch(definition);
  const { hook, expect, priority, idempotencyKey: key, ...same } = definition;
  const numeric = classOfPriority(priority, (message) => bad('priority', message));
  if (JSON.stringify(same.input ?? null).length > INPUT_CHARS_MAX) {
    throw bad('input', `the input template exceeds ${INPUT_CHARS_MAX} characters`);
  }
  const sealed = hook === undefined ? null : sealHook(context, hook, about);
  const stored: StoredTrigger = {
    ...same,
    ...(numeric === null ? {} : { class: CLASSES[numeric] }),
    ...(key === undefined ? {} : { key }),
    ...(expect === undefined
      ? {}
      : { expect: storedExpect(expect), expected: expectedOf(definition, about) }),
    ...(sealed === null ? {} : { hook: sealed.hook }),
    ...(about.was?.paused === true ? { paused: true } : {}),
  };
  const { programs } = context.triggers.watch.index;
  const compiled = compileTrigger(programs, { ...about, version: 0 }, stored);
  if (compiled.kind === 'refused') {
    const { field, message } = compiled.refusal;
    throw bad(field === 'key' ? 'idempotencyKey' : field, message);
  }
  return { stored, secret: sealed?.secret ?? null };
}

/** One that listens to everything is mostly a mistake, and would start runs from its own runs. */
function checkMatch({ source, type, subject, hook }: TriggerDefinition): void {
  if (hook !== undefined) {
    for (const [field, value] of Object.entries({ source, type, subject })) {
      if (value !== undefined)
        throw bad(field, 'a trigger with a hook cannot have source, type or subject');
    }
    return;
  }
  if (source === undefined && type === undefined) {
    throw bad('source', 'a trigger needs a source, a type or a hook');
  }
  for (const [field, value] of Object.entries({ source, type, subject })) {
    if (value === undefined) continue;
    if (value.slice(0, -1).includes('*')) throw bad(field, 'a * is allowed only at the end');
    if (!value.isWellFormed() || value.includes('\0')) {
      throw bad(field, 'contains a NUL character or a lone surrogate');
    }
  }
}

function read(name: DurationName, field: string, value: Duration): number {
  return msOf(name, { field, value }, bad);
}

function storedExpect({ every, buffer, ...same }: ExpectedEvent): StoredExpectation {
  return {
    ...same,
    ...(every === undefined ? {} : { everyMs: read('expect.every', 'expect.every', every) }),
    bufferMs: read('expect.buffer', 'expect.buffer', buffer),
  };
}

function shownExpect({ everyMs, bufferMs, ...same }: StoredExpectation): ExpectedEvent {
  return {
    ...same,
    ...(everyMs === undefined ? {} : { every: shownDuration(everyMs) }),
    buffer: shownDuration(bufferMs),
  };
}

/** The schedule of the expected events, as the engine reads it. */
function expectedOf(definition: TriggerDefinition, { name, now, was }: About): StoredSchedule {
  const { job, priority, expect } = definition;
  if (expect === undefined) throw bad('expect', 'is required');
  const { buffer, late = 'run', input, ...times } = expect;
  // The anchor of an interval is where it was, or every edit would move all windows.
  const { when: before } = was?.expected ?? {};
  const anchor = before?.kind === 'interval' ? before.anchorAt : now;
  let schedule: StoredSchedule;
  try {
    schedule = toStoredSchedule(
      { job, ...times, ...(input === undefined ? {} : { input }) },
      {
        now: anchor,
        jitterMsMin: 0,
        paused: was?.paused === true,
        calendar: undefined,
      },
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.field === undefined) throw error;
    throw bad(error.field.replace(/^definition/, 'expect'), error.message);
  }
  const given = classOfPriority(priority, (message) => bad('priority', message));
  const expects = { trigger: name, bufferMs: read('expect.buffer', 'expect.buffer', buffer), late };
  return { ...schedule, expects, ...(given === null ? {} : { class: given }) };
}

function sealHook(
  { triggers }: NodeContext,
  hook: NonNullable<TriggerDefinition['hook']>,
  { tenant, name, was }: About,
): { readonly hook: StoredHook; readonly secret: string | null } {
  const { secret: given, tolerance, ...more } = hook;
  const stored = {
    ...more,
    ...(tolerance === undefined
      ? {}
      : { toleranceMs: read('hook.tolerance', 'hook.tolerance', tolerance) }),
  };
  const { secrets } = triggers;
  if (secrets === undefined) throw bad('hook', 'this node has no key to encrypt secrets with');
  const kept = given === undefined ? was?.hook?.sealed : undefined;
  const known =
    given ?? (kept === undefined ? null : secrets.open(kept, hookSubject(tenant, name)));
  const problem = known == null ? null : secretProblem(stored.style, known);
  if (problem !== null) throw bad('hook.secret', problem);
  if (kept !== undefined) return { hook: { ...stored, sealed: kept }, secret: null };
  const secret = given ?? `whsec_${randomBytes(32).toString('base64')}`;
  const sealed = secrets.seal(secret, hookSubject(tenant, name));
  return { hook: { ...stored, sealed }, secret: given === undefined ? secret : null };
}

/** What a sealed secret is bound to. */
export function hookSubject(tenant: string, name: string): string {
  return `hook ${tenant}/${name}`;
}

/** Whether the stored forms are equal; a secret that is sent again is encrypted again and counts as a change. */
export function isSameTrigger(a: StoredTrigger, b: StoredTrigger): boolean {
  return isDeepStrictEqual(a, JSON.parse(JSON.stringify(b)));
}

/** What is stored, as its author would write it; the secret is not shown. */
export function fromStored(stored: StoredTrigger): TriggerDefinition {
  const { expected: _, paused: _paused, expect, hook, class: priority, key, ...same } = stored;
  return {
    ...same,
    ...(key === undefined ? {} : { idempotencyKey: key }),
    ...(priority === undefined ? {} : { priority }),
    ...(expect === undefined ? {} : { expect: shownExpect(expect) }),
    ...(hook === undefined ? {} : { hook: shownHook(hook) }),
  };
}

function shownHook({ sealed: _, toleranceMs, ...same }: StoredHook): HookDefinition {
  return {
    ...same,
    ...(toleranceMs === undefined ? {} : { tolerance: shownDuration(toleranceMs) }),
  };
}
