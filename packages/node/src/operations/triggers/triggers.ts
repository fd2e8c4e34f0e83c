import { scheduleSpec } from '@signalbox/engine';
import {
  type Checked,
  NAME_PATTERN,
  type Page,
  type Trigger,
  type TriggerDefinition,
  type TriggerTest,
  type TriggerTested,
} from '@signalbox/protocol';
import type { Definition } from '@signalbox/store';
import { ApiError, type Caller, type NodeContext } from '../../context.ts';
import { type CompiledTrigger, compileTrigger } from '../../triggers/compile-trigger.ts';
import { checkEvent } from '../../triggers/event.ts';
import { listensTo, matchEvent } from '../../triggers/match-event.ts';
import { TRIGGER_KIND as KIND, type StoredTrigger } from '../../triggers/stored-trigger.ts';
import { jobHeads } from '../job-heads.ts';
import type { Expected } from '../jobs.ts';
import { operation } from '../operation.ts';
import { noJob, shown } from '../refusals.ts';
import { iso } from '../schedules/schedule-definition.ts';
import { nextWindows } from '../schedules/windows-of.ts';
import { fromStored, saysTheSame, toStored } from './trigger-definition.ts';

const NAME = new RegExp(NAME_PATTERN);
/** Writers of one trigger that keep overtaking each other; the last of them is told. */
const TRIES = 5;
/** Every event is held against every trigger of its tenant. */
const TRIGGERS_MAX = 1_000;

export interface SavedTrigger {
  readonly trigger: Trigger;
  readonly outcome: 'created' | 'changed' | 'unchanged';
}

/** The same words for an absent trigger and another tenant's. */
export function noTrigger(name: string): ApiError {
  return new ApiError('not_found', `no trigger has the name ${shown(name)}`);
}

/** Saves a trigger or changes it. Every expression in it is compiled before anything is written. */
export const saveTrigger = operation(
  async (
    context,
    caller,
    params: { name: string; definition: TriggerDefinition; expected?: Expected },
  ): Promise<SavedTrigger> => {
    const { name, expected } = params;
    const next = await savingNext(context, caller, params);
    return change(context, caller, { name, ...expected, next });
  },
);

/** What saving the trigger would do, with every check, and nothing of it done. */
export const checkTrigger = operation(
  async (
    context,
    caller,
    params: { name: string; definition: TriggerDefinition },
  ): Promise<Checked<TriggerDefinition>> => {
    const { name } = params;
    const next = await savingNext(context, caller, params);
    const current = await context.store.getDefinition({ tenant: caller.tenant, kind: KIND, name });
    const live = current === null || current.deleted ? null : bodyOf(current);
    const wanted = next(current);
    const stored = wanted === null || wanted === 'delete' ? live : wanted.stored;
    const after = fromStored(stored as StoredTrigger);
    if (live === null) return { outcome: 'created', version: 0, after };
    const outcome = wanted === null ? 'unchanged' : 'changed';
    return { outcome, version: current?.version ?? 0, before: fromStored(live), after };
  },
);

async function savingNext(
  context: NodeContext,
  caller: Caller,
  params: { name: string; definition: TriggerDefinition; expected?: Expected },
): Promise<Next> {
  const { name, definition, expected } = params;
  if (!NAME.test(name)) {
    throw new ApiError('invalid', `${shown(name)} is no name for a trigger`, { field: 'name' });
  }
  const job = await jobHeads(context.loop).newest(caller.tenant, definition.job);
  if (job === null) throw noJob(definition.job);
  return (current) => {
    const was = current === null || current.deleted ? null : bodyOf(current);
    if (expected?.absent && was !== null) {
      throw new ApiError('precondition_failed', `the trigger ${shown(name)} is already there`);
    }
    if (was !== null && was.job !== definition.job) {
      const message = `it belongs to the job ${shown(was.job)}; make another one for another job`;
      throw new ApiError('invalid', message, { field: 'definition.job' });
    }
    if (was === null && context.triggers.watch.book.count(caller.tenant) >= TRIGGERS_MAX) {
      throw new ApiError('invalid', `a tenant has at most ${TRIGGERS_MAX} triggers`);
    }
    const about = { tenant: caller.tenant, name, now: context.loop.time.now(), was };
    const { stored, secret } = toStored(context, definition, about);
    return was !== null && saysTheSame(was, stored) ? null : { stored, secret };
  };
}

/** Its runs and its history stay; a hook of it answers like one that never was. */
export const deleteTrigger = operation(
  async (context, caller, params: { name: string } & Expected): Promise<Trigger> => {
    const next: Next = (current) => {
      if (current === null || current.deleted) throw noTrigger(params.name);
      return 'delete';
    };
    return (await change(context, caller, { ...params, next })).trigger;
  },
);

export const getTrigger = operation(
  async (context, caller, params: { name: string }): Promise<Trigger> => {
    const trigger = show(context, await readTrigger(context, caller, params.name));
    const kept = context.triggers.watch.book.refusalsOf(caller.tenant, params.name);
    if (kept.length === 0) return trigger;
    return { ...trigger, refusals: kept.map((refusal) => ({ ...refusal, at: iso(refusal.at) })) };
  },
);

export const listTriggers = operation(
  async (
    context,
    caller,
    params: { after?: string; limit?: number; deleted?: boolean },
  ): Promise<Page<Trigger>> => {
    const limit = params.limit ?? 100;
    const found = await context.store.listDefinitions({
      tenant: caller.tenant,
      kind: KIND,
      after: params.after ?? null,
      limit: limit + 1,
      includeDeleted: params.deleted ?? false,
    });
    const items = found.slice(0, limit).map((definition) => show(context, definition));
    const last = items.at(-1);
    return found.length > limit && last !== undefined ? { items, next: last.name } : { items };
  },
);

/** What a trigger would make of an event. Nothing is saved and nothing is started. */
export const testTrigger = operation(
  async (context, caller, params: TriggerTest): Promise<TriggerTested> => {
    const checked = checkEvent(params.event);
    if (checked.kind === 'refused') {
      const { field, message } = checked.refusal;
      throw new ApiError('invalid', message, { field: `event.${field}` });
    }
    const { event } = checked;
    const trigger = await tested(context, caller, params);
    if (trigger.hook === null && !listensTo({ ...trigger, enabled: true }, event)) {
      return { matches: false, reason: 'it does not listen to this source, type and subject' };
    }
    const match = matchEvent(trigger, event);
    if (match.kind !== 'run') return { matches: false, reason: match.reason };
    const { key, input } = match;
    // Without the mark that keeps it apart from keys of clients.
    return { matches: true, key: key.slice(1), ...(input === undefined ? {} : { input }) };
  },
);

async function tested(
  context: NodeContext,
  caller: Caller,
  { name, definition }: TriggerTest,
): Promise<CompiledTrigger> {
  const { tenant } = caller;
  if ((name === undefined) === (definition === undefined)) {
    throw new ApiError('invalid', 'name a saved trigger or give a definition', { field: 'name' });
  }
  const now = context.loop.time.now();
  const stored =
    definition === undefined
      ? bodyOf(await readTrigger(context, caller, name as string))
      : toStored(context, definition, { tenant, name: 'test', now, was: null }).stored;
  const { programs } = context.triggers.watch.book;
  const compiled = compileTrigger(programs, { tenant, name: name ?? 'test', version: 0 }, stored);
  if (compiled.kind === 'trigger') return compiled.trigger;
  const { field, message } = compiled.refusal;
  throw new ApiError('invalid', message, { field: `definition.${field}` });
}

/** The newest version, also of a deleted one. */
async function readTrigger(
  { store }: NodeContext,
  { tenant }: Caller,
  name: string,
): Promise<Definition> {
  if (!NAME.test(name)) throw noTrigger(name);
  const found = await store.getDefinition({ tenant, kind: KIND, name });
  if (found === null) throw noTrigger(name);
  return found;
}

interface Wanted {
  readonly stored: StoredTrigger;
  readonly secret: string | null;
}
type Next = (current: Definition | null) => Wanted | 'delete' | null;

/** Reads, decides, writes under the version that was read, and tells this node before it answers. */
async function change(
  context: NodeContext,
  caller: Caller,
  params: { name: string; next: Next } & Expected,
): Promise<SavedTrigger> {
  const { store, loop, triggers } = context;
  const key = { tenant: caller.tenant, kind: KIND, name: params.name };
  if (!NAME.test(params.name)) throw noTrigger(params.name);
  for (let tries = 0; tries < TRIES; tries++) {
    const current = await store.getDefinition(key);
    requireVersion(params.version, current);
    const wanted = params.next(current);
    if (wanted === null) {
      return { trigger: show(context, current as Definition), outcome: 'unchanged' };
    }
    const base = { ...key, expectedVersion: current?.version ?? 0, author: caller.key };
    const result =
      wanted === 'delete'
        ? await store.deleteDefinition(base)
        : await store.putDefinition({ ...base, body: JSON.stringify(wanted.stored) });
    if (result.kind === 'conflict') continue;
    const written = (await store.getDefinition({ ...key, version: result.version })) as Definition;
    triggers.watch.adopt(written);
    await loop.schedules.adopt(written);
    const created = current === null || current.deleted;
    const secret = wanted === 'delete' ? null : wanted.secret;
    const trigger = { ...show(context, written), ...(secret === null ? {} : { secret }) };
    return { trigger, outcome: created ? 'created' : 'changed' };
  }
  throw new ApiError('conflict', `the trigger ${shown(params.name)} is being changed by others`);
}

function requireVersion(expected: number | undefined, current: Definition | null): void {
  if (expected === undefined || current?.version === expected) return;
  const is = current === null ? 'there is none' : `it has version ${current.version}`;
  throw new ApiError('precondition_failed', `version ${expected} was expected, ${is}`);
}

function bodyOf(definition: Definition): StoredTrigger {
  return JSON.parse(definition.body) as StoredTrigger;
}

function show(context: NodeContext, definition: Definition): Trigger {
  const { tenant, name, version, deleted, author, atMs } = definition;
  const stored = bodyOf(definition);
  const state = deleted ? 'deleted' : stored.enabled === false ? 'disabled' : 'active';
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
