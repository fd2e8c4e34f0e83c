import { OWN_SOURCE, type ReceivedEvent, type StartedRun } from '@signalbox/protocol';
import { REQUEST_WORK_MAX } from '../../cel/limits.ts';
import { type Allowance, isSpent } from '../../cel/meter.ts';
import { ApiError, type NodeContext } from '../../context/index.ts';
import type { CompiledTrigger } from '../../triggers/compile-trigger.ts';
import type { Event } from '../../triggers/event.ts';
import { listensTo, type Match, matchEvent } from '../../triggers/match-event.ts';
import { operation } from '../common/operation.ts';
import { deliverEvents } from './deliver-events.ts';
import { startRuns, type WantedRun } from './start-runs.ts';

/** Runs that one request may start; a request that would start more is refused as a whole. */
const RUNS_MAX = 1_000;
/** Triggers that the response lists as not matching an event. */
const PASSED_MAX = 20;

/** Accepts events and starts the runs of matching triggers. Resolves when all of them are durable. */
export const receiveEvents = operation(
  async (context, caller, params: { events: readonly Event[] }): Promise<ReceivedEvent[]> => {
    const { events } = params;
    for (const [index, { source }] of events.entries()) {
      if (source !== OWN_SOURCE) continue;
      const field = events.length === 1 ? 'source' : `[${index}].source`;
      throw new ApiError(
        'invalid',
        'this source is reserved for events of Signalbox; use another source',
        { field },
      );
    }
    const triggers = [...context.triggers.watch.index.byTenant(caller.tenant)];
    return fireAll(context, caller.tenant, {
      events,
      triggersOf: (event) => triggers.filter((trigger) => listensTo(trigger, event)),
    });
  },
);

interface Considered {
  readonly event: Event;
  readonly matches: readonly { readonly trigger: CompiledTrigger; readonly match: Match }[];
}

/** The common path of all sources of events: matches, starts runs, counts, and returns the result of each event. */
export async function fireAll(
  context: NodeContext,
  tenant: string,
  params: {
    readonly events: readonly Event[];
    triggersOf(event: Event): readonly CompiledTrigger[];
    /** Identifies repeated deliveries of a single event, if its id does not. */
    readonly identity?: string;
  },
): Promise<ReceivedEvent[]> {
  const allowance: Allowance = { left: REQUEST_WORK_MAX };
  const { identity } = params;
  const options = { allowance, ...(identity === undefined ? {} : { identity }) };
  // Started early, in parallel with matching: a job that was saved on any node before the event arrived must be
  // known when events are delivered. A failure fails the request at the `await` below.
  const known = context.triggers.subscriptions.pollNow();
  known.catch(() => {});
  const considered = params.events.map((event): Considered => {
    const matches = params.triggersOf(event).map((trigger) => {
      return { trigger, match: matchEvent(trigger, event, options) };
    });
    return { event, matches };
  });
  // Filters past the allowance were not evaluated, so none of the results may count.
  if (isSpent(allowance)) {
    const message =
      'evaluating the filters for these events takes too much work; send fewer events at once';
    throw new ApiError('too_large', message);
  }
  const wanted = considered.flatMap(wantedOf);
  if (wanted.length > RUNS_MAX) {
    const message = `these events would start more than ${RUNS_MAX} runs; send fewer events at once`;
    throw new ApiError('too_large', message);
  }
  const started = (await startRuns(context, tenant, wanted)).values();
  await known;
  const { index } = context.triggers.subscriptions;
  const received = considered.map((each): ReceivedEvent => {
    const hasSubscribers = index.partitionsOf(tenant, each.event.type).size > 0;
    return { ...receivedOf(each, () => started.next().value), hasSubscribers };
  });
  await deliverEvents(context, tenant, params);
  report(context, tenant, received);
  return received;
}

function wantedOf({ event, matches }: Considered): WantedRun[] {
  return matches.flatMap(({ trigger, match }) =>
    match.kind === 'run' ? [{ trigger, event, key: match.key, input: match.input }] : [],
  );
}

function receivedOf(
  { event, matches }: Considered,
  next: () => StartedRun | undefined,
): Omit<ReceivedEvent, 'hasSubscribers'> {
  const runs: StartedRun[] = [];
  const passed: { trigger: string; reason: string }[] = [];
  for (const { trigger, match } of matches) {
    const { name } = trigger;
    if (match.kind === 'passed') passed.push({ trigger: name, reason: match.reason });
    else if (match.kind === 'refused') {
      runs.push({ trigger: name, outcome: 'refused', reason: match.reason });
    } else {
      const run = next();
      if (run !== undefined) runs.push(run);
    }
  }
  const { id, source, type } = event;
  return { id, source, type, runs, passed: passed.slice(0, PASSED_MAX) };
}

/** Counts results, and keeps refusals to show with their trigger. */
function report(context: NodeContext, tenant: string, received: readonly ReceivedEvent[]): void {
  const { count, watch } = context.triggers;
  count('received', received.length);
  for (const { id, source, runs } of received) {
    if (runs.length === 0) count('unmatched', 1);
    for (const { trigger: name, outcome, reason = '' } of runs) {
      const isMatched = outcome === 'created' || outcome === 'pending';
      if (outcome !== 'refused') count(isMatched ? 'matched' : 'duplicate', 1);
      else {
        count('rejected', 1);
        const trigger = watch.index.get(tenant, name);
        const at = context.loop.time.now();
        if (trigger !== null) watch.index.refuse(trigger, { at, source, id, reason });
        const fields = { tenant, trigger: name, eventId: id, reason };
        context.log.warn({ event: 'trigger.refused', ...fields }, 'trigger started no run');
      }
    }
  }
}
