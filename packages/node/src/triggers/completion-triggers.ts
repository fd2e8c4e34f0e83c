import {
  type FollowedEnd,
  formatRunId,
  parseDetail,
  partitionOf,
  type RunHead,
  reservedKey,
  resultOutput,
} from '@signalbox/engine';
import { looksLikeBlobRef, OWN_SOURCE } from '@signalbox/protocol';
import type { InboxEntry } from '@signalbox/store';
import { END_WORK_MAX } from '../cel/limits.ts';
import { type Allowance, isSpent } from '../cel/meter.ts';
import type { Json } from '../cel/to-json.ts';
import { aliasOf } from '../inbox/inbox-alias.ts';
import { expectationName, packEvents } from '../loop/index.ts';
import type { Logger } from '../settings/log-events.ts';
import type { CompiledTrigger } from './compile-trigger.ts';
import type { Event } from './event.ts';
import type { EventCounts } from './event-counts.ts';
import { inputBytes, listensTo, matchEvent } from './match-event.ts';
import { sentEvent } from './sent-event.ts';
import type { SubscriptionIndex } from './subscription-index.ts';
import type { TriggerIndex } from './trigger-index.ts';

/** Maximum length of a chain of runs that start each other; a longer chain is refused. */
export const DEPTH_MAX = 16;
/** Larger outputs are not parsed, because parsing happens in the commit loop. */
const OUTPUT_BYTES_MAX = 65_536;
const INPUT_BYTES_MAX = 262_144;

export interface CompletionParams {
  readonly triggers: TriggerIndex;
  readonly subscriptions: SubscriptionIndex;
  readonly partitions: () => number;
  readonly now: () => number;
  readonly count: EventCounts;
  readonly log: Logger;
}

/**
 * Turns the end of a run into inbox entries that are stored in the commit of that end: one for each run that a
 * trigger starts, and the event itself for runs that wait for it. Keys are derived from trigger and run, so a
 * repeated commit, or an entry that is taken twice, still starts one run per trigger.
 */
export function completionTriggers(params: CompletionParams): (end: FollowedEnd) => InboxEntry[] {
  return (end) => {
    try {
      return entriesOf(params, end);
    } catch (error) {
      // A failing trigger must not prevent the end from becoming durable.
      params.log.error({ event: 'trigger.failed', err: error }, 'triggers of an ended run failed');
      return [];
    }
  };
}

function entriesOf(params: CompletionParams, end: FollowedEnd): InboxEntry[] {
  const { triggers, count } = params;
  const { tenant } = end.fact;
  let event: Event | null = null;
  const allowance: Allowance = { left: END_WORK_MAX };
  const entries: InboxEntry[] = [];
  for (const trigger of triggers.byTenant(tenant)) {
    if (!trigger.followsRuns) continue;
    if (event === null) {
      event = eventOf(end);
      count('received', 1);
    }
    if (!listensTo(trigger, event)) continue;
    const entry = entryOf(params, { end, event, trigger, allowance });
    if (entry !== null) entries.push(entry);
  }
  if (entries.length > 0) count('matched', entries.length);
  for (const partition of params.subscriptions.partitionsOf(tenant, typeOf(end))) {
    event ??= eventOf(end);
    entries.push(eventEntry(params, { tenant, event, partition }));
  }
  return entries;
}

/** The event, for the runs of a partition that may wait for it. */
function eventEntry(
  { now }: CompletionParams,
  { tenant, event, partition }: { tenant: string; event: Event; partition: number },
): InboxEntry {
  const key = reservedKey(`heard/${event.id}`);
  const id = aliasOf({ tenant, key, partition });
  return { id, partition, tenant, atMs: now(), ...packEvents([sentEvent(event)]) };
}

function typeOf({ fact }: FollowedEnd): string {
  return `run.${fact.state.toLowerCase()}`;
}

/** The end of a run in the form that expressions see. */
export function eventOf(end: FollowedEnd): Event {
  const { run, fact } = end;
  const { partition, seq, ms, at, state } = fact;
  const id = formatRunId({ partition, seq, ms });
  const { job, version } = run.spec;
  const output = jsonOf(resultOutput(parseDetail(fact.detail, fact.ms), fact.output));
  const error = 'error' in fact.last ? fact.last.error : null;
  return {
    specversion: '1.0',
    id,
    source: OWN_SOURCE,
    type: typeOf(end),
    subject: job,
    time: new Date(at).toISOString(),
    data: {
      run: id,
      job,
      jobVersion: version,
      state,
      submittedAt: new Date(ms).toISOString(),
      endedAt: new Date(at).toISOString(),
      ...(output === undefined ? {} : { output }),
      ...(error === null ? {} : { error }),
    },
  };
}

/** Undefined if the output is not JSON, a reference, or too large to parse here. */
function jsonOf(output: Uint8Array | null): Json | undefined {
  if (output === null || output.length > OUTPUT_BYTES_MAX || looksLikeBlobRef(output)) return;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(output)) as Json;
  } catch {
    return undefined;
  }
}

function entryOf(
  params: CompletionParams,
  matched: { end: FollowedEnd; event: Event; trigger: CompiledTrigger; allowance: Allowance },
): InboxEntry | null {
  const { end, event, trigger, allowance } = matched;
  const { tenant, name, job } = trigger;
  const depth = (end.run.head.event?.depth ?? 0) + 1;
  const match = matchEvent(trigger, event, { allowance });
  if (isSpent(allowance))
    return refuse(params, matched, 'evaluating the triggers of this run end takes too much work');
  if (match.kind === 'passed') return null;
  if (match.kind === 'refused') return refuse(params, matched, match.reason);
  if (depth > DEPTH_MAX) {
    return refuse(
      params,
      matched,
      `the chain of runs that start each other is already ${depth - 1} runs long`,
    );
  }
  const input = inputBytes(match.input);
  if (input !== null && input.length > INPUT_BYTES_MAX) {
    return refuse(params, matched, `the input exceeds ${INPUT_BYTES_MAX} bytes`);
  }
  const { source, id, type } = event;
  const head: RunHead = {
    trigger: { kind: 'event', of: name },
    event: { source, id, type, depth },
    ...(trigger.expects ? { expects: expectationName(name) } : {}),
  };
  const { key } = match;
  const partition = partitionOf(tenant, job, params.partitions());
  return {
    id: aliasOf({ tenant, key, partition }),
    partition,
    kind: 'submission',
    tenant,
    job,
    // Inherits the priority of the ended run, unless the trigger sets one.
    class: trigger.class ?? end.run.class,
    head: JSON.stringify(head),
    input,
    key,
    atMs: params.now(),
  };
}

function refuse(
  { triggers, count, log, now }: CompletionParams,
  { event, trigger }: { event: Event; trigger: CompiledTrigger },
  reason: string,
): null {
  const { source, id } = event;
  const { tenant, name } = trigger;
  count('rejected', 1);
  triggers.refuse(trigger, { at: now(), source, id, reason });
  const fields = { tenant, trigger: name, eventId: id, reason };
  log.warn({ event: 'trigger.refused', ...fields }, 'trigger started no run');
  return null;
}
