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
import { expectationName, packEvents } from '../loop/index.ts';
import { aliasOf } from '../operations/inbox-alias.ts';
import type { Logger } from '../settings/log-events.ts';
import type { CompiledTrigger } from './compile-trigger.ts';
import type { Event } from './event.ts';
import type { EventCounts } from './event-counts.ts';
import type { HearingBook } from './hearing-book.ts';
import { inputBytes, listensTo, matchEvent } from './match-event.ts';
import { sentEvent } from './sent-event.ts';
import type { TriggerBook } from './trigger-book.ts';

/** Runs that start each other end here: one that follows from more ends than this is refused. */
export const DEPTH_MAX = 16;
/** Outputs beyond this are not looked into: they would be parsed in the commit loop. */
const OUTPUT_BYTES_MAX = 65_536;
const INPUT_BYTES_MAX = 262_144;

export interface FollowParams {
  readonly book: TriggerBook;
  readonly hearing: HearingBook;
  readonly partitions: () => number;
  readonly now: () => number;
  readonly count: EventCounts;
  readonly log: Logger;
}

/**
 * The end of a run as an event: the runs that triggers make of it, and the event itself for runs that
 * wait for it, as inbox entries for the commit of that very end. Their keys are made of trigger and run, so however often an end is told (a commit
 * that is tried again, an entry that is taken in twice), it starts one run for each trigger.
 */
export function followEnds(params: FollowParams): (end: FollowedEnd) => InboxEntry[] {
  return (end) => {
    try {
      return entriesOf(params, end);
    } catch (error) {
      // The end itself must become durable whatever a trigger does.
      params.log.error({ event: 'trigger.failed', err: error }, 'triggers of an ended run failed');
      return [];
    }
  };
}

function entriesOf(params: FollowParams, end: FollowedEnd): InboxEntry[] {
  const { book, count } = params;
  const { tenant } = end.fact;
  let event: Event | null = null;
  const allowance: Allowance = { left: END_WORK_MAX };
  const entries: InboxEntry[] = [];
  for (const trigger of book.of(tenant)) {
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
  for (const partition of params.hearing.partitionsOf(tenant, typeOf(end))) {
    event ??= eventOf(end);
    entries.push(heardEntry(params, { tenant, event, partition }));
  }
  return entries;
}

/** For the runs of a partition that may wait for it. */
function heardEntry(
  { now }: FollowParams,
  { tenant, event, partition }: { tenant: string; event: Event; partition: number },
): InboxEntry {
  const key = reservedKey(`heard/${event.id}`);
  const id = aliasOf({ tenant, key, partition });
  return { id, partition, tenant, atMs: now(), ...packEvents([sentEvent(event)]) };
}

function typeOf({ fact }: FollowedEnd): string {
  return `run.${fact.state.toLowerCase()}`;
}

/** What CEL sees of a run that has ended. */
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

/** Absent where it is no JSON, is kept elsewhere, or is too large to be looked into. */
function jsonOf(output: Uint8Array | null): Json | undefined {
  if (output === null || output.length > OUTPUT_BYTES_MAX || looksLikeBlobRef(output)) return;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(output)) as Json;
  } catch {
    return undefined;
  }
}

function entryOf(
  params: FollowParams,
  of: { end: FollowedEnd; event: Event; trigger: CompiledTrigger; allowance: Allowance },
): InboxEntry | null {
  const { end, event, trigger, allowance } = of;
  const { tenant, name, job } = trigger;
  const depth = (end.run.head.event?.depth ?? 0) + 1;
  const match = matchEvent(trigger, event, { allowance });
  if (isSpent(allowance))
    return refuse(params, of, 'evaluating the triggers of this run end takes too much work');
  if (match.kind === 'passed') return null;
  if (match.kind === 'refused') return refuse(params, of, match.reason);
  if (depth > DEPTH_MAX) {
    return refuse(
      params,
      of,
      `the chain of runs that start each other is already ${depth - 1} runs long`,
    );
  }
  const input = inputBytes(match.input);
  if (input !== null && input.length > INPUT_BYTES_MAX) {
    return refuse(params, of, `the input exceeds ${INPUT_BYTES_MAX} bytes`);
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
    // It goes on with the urgency of what came before, unless the trigger says otherwise.
    class: trigger.class ?? end.run.class,
    head: JSON.stringify(head),
    input,
    key,
    atMs: params.now(),
  };
}

function refuse(
  { book, count, log, now }: FollowParams,
  { event, trigger }: { event: Event; trigger: CompiledTrigger },
  reason: string,
): null {
  const { source, id } = event;
  const { tenant, name } = trigger;
  count('rejected', 1);
  book.refuse(trigger, { at: now(), source, id, reason });
  const fields = { tenant, trigger: name, eventId: id, reason };
  log.warn({ event: 'trigger.refused', ...fields }, 'trigger started no run');
  return null;
}
