import { scheduleSpec } from '@signalbox/engine';
import type { Trigger, TriggerDefinition, TriggerTest, TriggerTested } from '@signalbox/protocol';
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
import { iso } from '../common/read-time.ts';
import { definedKind, type Prepared, type Saved } from '../definitions/defined-kind.ts';
import { bodyOf, liveBody, type Named, readNamed } from '../definitions/named-definitions.ts';
import { jobHeads } from '../jobs/job-heads.ts';
import { nextWindows } from '../schedules/windows-of.ts';
import { fromStored, isSameTrigger, toStored } from './trigger-definition.ts';

/** Every event is held against every trigger of its tenant. */
const TRIGGERS_MAX = 1_000;

export type SavedTrigger = Saved<'trigger', Trigger>;

interface SaveParams {
  readonly name: string;
  readonly definition: TriggerDefinition;
  readonly expected?: Expected;
  /** The job is created before the trigger is saved. */
  readonly isJobNew?: boolean;
}

const named = (name: string): Named => ({ kind: KIND, name });

const triggers = definedKind({
  kind: KIND,
  show,
  fromStored,
  prepare,
  apply: async (context, definition) => {
    context.triggers.watch.adopt(definition);
    await context.loop.schedules.adopt(definition);
  },
  // The engine pauses the schedule of expected events by a field of its own.
  pauseBody: (body: StoredTrigger, isPaused) => {
    if (body.expected === undefined) return body;
    const { paused: _, ...times } = body.expected;
    return { ...body, expected: isPaused ? { ...times, paused: true } : times };
  },
});

export const {
  save: saveTrigger,
  check: checkTrigger,
  list: listTriggers,
  pause: pauseTrigger,
  resume: resumeTrigger,
  /** A deleted hook is indistinguishable from a missing one. */
  remove: deleteTrigger,
} = triggers;

/** Compiles every expression before anything is written. A generated hook secret is returned once. */
async function prepare(
  context: NodeContext,
  caller: Caller,
  { name, definition, expected, isJobNew }: SaveParams,
): Promise<Prepared<StoredTrigger, SavedTrigger>> {
  if (isJobNew !== true) {
    const job = await jobHeads(context.loop).newest(caller.tenant, definition.job);
    if (job === null) throw noJob(definition.job);
  }
  let secret: string | null = null;
  return {
    next: (current) => {
      const was = liveBody<StoredTrigger>(named(name), current, expected);
      if (was !== null && was.job !== definition.job) {
        const message = `the trigger belongs to the job ${shown(was.job)}; create another trigger for another job`;
        throw new ApiError('invalid', message, { field: 'definition.job' });
      }
      if (was === null && context.triggers.watch.index.count(caller.tenant) >= TRIGGERS_MAX) {
        throw new ApiError('invalid', `a tenant can have at most ${TRIGGERS_MAX} triggers`);
      }
      const about = { tenant: caller.tenant, name, now: context.loop.time.now(), was };
      const converted = toStored(context, definition, about);
      secret = converted.secret;
      return was !== null && isSameTrigger(was, converted.stored) ? null : converted.stored;
    },
    afterSave: (saved) => {
      if (saved.outcome === 'unchanged' || secret === null) return saved;
      return { ...saved, trigger: { ...saved.trigger, secret } };
    },
  };
}

export const getTrigger = operation(
  async (context, caller, params: { name: string }): Promise<Trigger> => {
    const trigger = await triggers.get(context, caller, params);
    const refusals = context.triggers.watch.index.refusalsOf(caller.tenant, params.name);
    if (refusals.length === 0) return trigger;
    return { ...trigger, refusals: refusals.map((each) => ({ ...each, at: iso(each.at) })) };
  },
);

/** Evaluates a trigger for an event. Saves and starts nothing. */
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
