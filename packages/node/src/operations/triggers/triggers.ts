import { scheduleSpec } from '@signalbox/engine';
import type {
  Checked,
  Page,
  Trigger,
  TriggerDefinition,
  TriggerTest,
  TriggerTested,
} from '@signalbox/protocol';
import type { Definition } from '@signalbox/store';
import { ApiError, type Caller, type NodeContext } from '../../context/index.ts';
import { noJob, shown } from '../../errors/refusals.ts';
import { type CompiledTrigger, compileTrigger } from '../../triggers/compile-trigger.ts';
import { checkEvent, type Event } from '../../triggers/event.ts';
import { listensTo, matchEvent } from '../../triggers/match-event.ts';
import { sampleEvent } from '../../triggers/sample-event.ts';
import { TRIGGER_KIND as KIND, type StoredTrigger } from '../../triggers/stored-trigger.ts';
import type { Expected } from '../common/expected.ts';
import { operation } from '../common/operation.ts';
import { paged } from '../common/paged.ts';
import { iso } from '../common/read-time.ts';
import {
  bodyOf,
  changeNamed,
  checkNamed,
  deleted,
  type ListParams,
  listNamed,
  liveBody,
  type Named,
  type Next,
  pausedOrNot,
  readNamed,
  requireName,
} from '../definitions/named-definitions.ts';
import { jobHeads } from '../jobs/job-heads.ts';
import { nextWindows } from '../schedules/windows-of.ts';
import { fromStored, saysTheSame, toStored } from './trigger-definition.ts';

/** Every event is held against every trigger of its tenant. */
const TRIGGERS_MAX = 1_000;

export interface SavedTrigger {
  readonly trigger: Trigger;
  readonly outcome: 'created' | 'changed' | 'unchanged';
}

const named = (name: string): Named => ({ kind: KIND, name });

/** Saves a trigger or changes it. Every expression in it is compiled before anything is written. */
export const saveTrigger = operation(
  async (
    context,
    caller,
    params: { name: string; definition: TriggerDefinition; expected?: Expected },
  ): Promise<SavedTrigger> => {
    const saving = await savingNext(context, caller, params);
    const { name, expected } = params;
    const saved = await changeTrigger(context, caller, { name, ...expected, next: saving.next });
    const secret = saved.outcome === 'unchanged' ? null : saving.secret();
    if (secret === null) return saved;
    return { ...saved, trigger: { ...saved.trigger, secret } };
  },
);

/** What saving the trigger would do, with every check, and nothing of it done. */
export const checkTrigger = operation(
  async (
    context,
    caller,
    params: { name: string; definition: TriggerDefinition; isJobNew?: boolean },
  ): Promise<Checked<TriggerDefinition>> => {
    const { next } = await savingNext(context, caller, params);
    return checkNamed(context, caller, { ...named(params.name), next, show: fromStored });
  },
);

/** What is saved, and the secret that was made for its hook by then, which is shown once. */
async function savingNext(
  context: NodeContext,
  caller: Caller,
  params: {
    name: string;
    definition: TriggerDefinition;
    expected?: Expected;
    /** Its job is created before it is saved. */
    isJobNew?: boolean;
  },
): Promise<{ next: Next<StoredTrigger>; secret: () => string | null }> {
  const { name, definition, expected } = params;
  requireName(named(name));
  if (params.isJobNew !== true) {
    const job = await jobHeads(context.loop).newest(caller.tenant, definition.job);
    if (job === null) throw noJob(definition.job);
  }
  let made: string | null = null;
  const next: Next<StoredTrigger> = (current) => {
    const was = liveBody<StoredTrigger>(named(name), current, expected);
    if (was !== null && was.job !== definition.job) {
      const message = `the trigger belongs to the job ${shown(was.job)}; create another trigger for another job`;
      throw new ApiError('invalid', message, { field: 'definition.job' });
    }
    if (was === null && context.triggers.watch.index.count(caller.tenant) >= TRIGGERS_MAX) {
      throw new ApiError('invalid', `a tenant can have at most ${TRIGGERS_MAX} triggers`);
    }
    const about = { tenant: caller.tenant, name, now: context.loop.time.now(), was };
    const { stored, secret } = toStored(context, definition, about);
    made = secret;
    return was !== null && saysTheSame(was, stored) ? null : stored;
  };
  return { next, secret: () => made };
}

export const pauseTrigger = operation((context, caller, params: { name: string } & Expected) =>
  setPaused(context, caller, { ...params, paused: true }),
);

export const resumeTrigger = operation((context, caller, params: { name: string } & Expected) =>
  setPaused(context, caller, { ...params, paused: false }),
);

async function setPaused(
  context: NodeContext,
  caller: Caller,
  { name, paused, ...expected }: { name: string; paused: boolean } & Expected,
): Promise<Trigger> {
  const change = pausedOrNot<StoredTrigger>(named(name), paused);
  // The engine pauses the schedule of expected events on its own field.
  const next: Next<StoredTrigger> = (current) => {
    const body = change(current);
    if (body === null || typeof body === 'string' || body.expected === undefined) return body;
    const { paused: _, ...times } = body.expected;
    return { ...body, expected: paused ? { ...times, paused: true } : times };
  };
  return (await changeTrigger(context, caller, { name, ...expected, next })).trigger;
}

/** Its runs and its history stay; a hook of it answers like one that never was. */
export const deleteTrigger = operation(
  async (context, caller, params: { name: string } & Expected): Promise<Trigger> =>
    (await changeTrigger(context, caller, { ...params, next: deleted(named(params.name)) }))
      .trigger,
);

export const getTrigger = operation(
  async (context, caller, params: { name: string }): Promise<Trigger> => {
    const trigger = show(context, await readNamed(context, caller, named(params.name)));
    const kept = context.triggers.watch.index.refusalsOf(caller.tenant, params.name);
    if (kept.length === 0) return trigger;
    return { ...trigger, refusals: kept.map((refusal) => ({ ...refusal, at: iso(refusal.at) })) };
  },
);

export const listTriggers = operation(
  paged(
    'triggers',
    (context, caller, params: ListParams): Promise<Page<Trigger>> =>
      listNamed(context, caller, {
        ...params,
        kind: KIND,
        show: (definition) => show(context, definition),
      }),
  ),
);

/** What a trigger would make of an event. Nothing is saved and nothing is started. */
export const testTrigger = operation(
  async (context, caller, params: TriggerTest): Promise<TriggerTested> => {
    const { event: sent, data } = params;
    if ((sent === undefined) === (data === undefined)) {
      throw new ApiError('invalid', 'send either event or data', { field: 'event' });
    }
    const whole = sent === undefined ? null : checkedEvent(sent);
    const trigger = await tested(context, caller, params);
    const event = whole ?? checkedEvent(sampleEvent(trigger, data));
    if (trigger.hook === null && !listensTo({ ...trigger, paused: false }, event)) {
      return { matches: false, reason: 'it does not listen to this source, type and subject' };
    }
    const match = matchEvent(trigger, event);
    if (match.kind !== 'run') return { matches: false, reason: match.reason };
    const { key, input } = match;
    // Without the mark that keeps it apart from keys of clients.
    const shown = { matches: true, idempotencyKey: key.slice(1) };
    if (input === undefined) return shown;
    if (!(input instanceof Uint8Array)) return { ...shown, input };
    return { ...shown, inputBase64: Buffer.from(input).toString('base64') };
  },
);

function checkedEvent(value: unknown): Event {
  const checked = checkEvent(value);
  if (checked.kind === 'event') return checked.event;
  const { field, message } = checked.refusal;
  throw new ApiError('invalid', message, { field: `event.${field}` });
}

async function tested(
  context: NodeContext,
  caller: Caller,
  { name, definition }: TriggerTest,
): Promise<CompiledTrigger> {
  const { tenant } = caller;
  if ((name === undefined) === (definition === undefined)) {
    throw new ApiError('invalid', 'send either the name of a saved trigger or a definition', {
      field: 'name',
    });
  }
  const now = context.loop.time.now();
  const stored =
    definition === undefined
      ? bodyOf<StoredTrigger>(await readNamed(context, caller, named(name as string)))
      : toStored(context, definition, { tenant, name: 'test', now, was: null }).stored;
  const { programs } = context.triggers.watch.index;
  const compiled = compileTrigger(programs, { tenant, name: name ?? 'test', version: 0 }, stored);
  if (compiled.kind === 'trigger') return compiled.trigger;
  const { field, message } = compiled.refusal;
  throw new ApiError('invalid', message, { field: `definition.${field}` });
}

/** Told to this node before it is answered. */
async function changeTrigger(
  context: NodeContext,
  caller: Caller,
  params: { name: string; next: Next<StoredTrigger> } & Expected,
): Promise<SavedTrigger> {
  const { now, outcome } = await changeNamed(context, caller, { ...params, kind: KIND });
  if (outcome !== 'unchanged') {
    context.triggers.watch.adopt(now);
    await context.loop.schedules.adopt(now);
  }
  return { trigger: show(context, now), outcome };
}

function show(context: NodeContext, definition: Definition): Trigger {
  const { tenant, name, version, deleted, author, atMs } = definition;
  const stored = bodyOf<StoredTrigger>(definition);
  const state = deleted ? 'deleted' : stored.paused === true ? 'paused' : 'active';
  const { expected } = stored;
  const [next] =
    expected === undefined || state !== 'active'
      ? []
      : nextWindows(scheduleSpec(expected), context.loop.time.now(), 1);
  return {
    name,
    version,
    state,
    definition: fromStored(stored),
    author,
    at: iso(atMs),
    ...(next === undefined ? {} : { expectedAt: iso(next) }),
    ...(stored.hook === undefined ? {} : { hookPath: `/api/v1/hooks/${tenant}/${name}` }),
  };
}
