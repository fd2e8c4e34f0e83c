import {
  type Answer,
  type Command,
  formatRunId,
  partitionOf,
  type RunHead,
} from '@signalbox/engine';
import type { StartedRun } from '@signalbox/protocol';
import type { Json } from '../../cel/to-json.ts';
import { ApiError, type NodeContext } from '../../context/index.ts';
import { refusal } from '../../errors/refusals.ts';
import { expectationName } from '../../loop/index.ts';
import type { CompiledTrigger } from '../../triggers/compile-trigger.ts';
import type { Event } from '../../triggers/event.ts';
import { inputBytes } from '../../triggers/match-event.ts';
import { mayBeLiveRun, type Put, putInbox, reservedPut } from '../batches/put-inbox.ts';
import { takenBefore } from '../batches/taken-before.ts';
import { keepPayload } from '../blobs/payloads.ts';
import { jobHeads } from '../jobs/job-heads.ts';

type Submit = Command & { kind: 'submit' };

/** A run that a trigger wants of an event. */
export interface WantedRun {
  readonly trigger: CompiledTrigger;
  readonly event: Event;
  readonly key: string;
  readonly input: Json | Uint8Array | undefined;
}

/**
 * Starts the runs. The key of a run, in the commit of its owner, decides whether the event was delivered before, and
 * not an earlier read: two concurrent deliveries, on two nodes, after a lost response or across a fail-over start one
 * run. Throws if the sender must send the events again.
 */
export async function startRuns(
  context: NodeContext,
  tenant: string,
  wanted: readonly WantedRun[],
): Promise<StartedRun[]> {
  const started = new Array<StartedRun>(wanted.length);
  const commands: { readonly index: number; readonly command: Submit }[] = [];
  const known = await knownRuns(context, tenant, wanted);
  for (const [index, want] of wanted.entries()) {
    const trigger = want.trigger.name;
    const run = known.get(want.key);
    if (run !== undefined) {
      started[index] = { trigger, outcome: 'duplicate', run };
      continue;
    }
    const command = await commandOf(context, tenant, want);
    if (typeof command === 'string') {
      started[index] = { trigger, outcome: 'refused', reason: command };
    } else commands.push({ index, command });
  }
  const answers = await context.loop.executeAll(commands.map(({ command }) => command));
  for (const [at, { index, command }] of commands.entries()) {
    const { trigger } = wanted[index] as WantedRun;
    const outcome = await outcomeOf(context, command, answers[at] as Answer);
    started[index] = { trigger: trigger.name, ...outcome };
  }
  return started;
}

/**
 * Only for triggers that expect events: an old event that is delivered again must not count as the expected one, so
 * its run is searched in the store. If this misses it, the key decides.
 */
async function knownRuns(
  { store }: NodeContext,
  tenant: string,
  wanted: readonly WantedRun[],
): Promise<Map<string, string>> {
  const keys = wanted.filter(({ trigger }) => trigger.expects).map(({ key }) => ({ tenant, key }));
  if (keys.length === 0) return new Map();
  const held = await store.readKeys(keys);
  return new Map(held.map(({ key, run }) => [key, formatRunId(run)]));
}

/** A text where no run can be made: why. */
async function commandOf(
  context: NodeContext,
  tenant: string,
  { trigger, event, key, input }: WantedRun,
): Promise<Submit | string> {
  const { name, job } = trigger;
  const head = await jobHeads(context.loop).newest(tenant, job);
  if (head === null) return 'the job of the trigger was deleted';
  if (head.paused) return 'the job of the trigger is paused';
  const { source, id, type } = event;
  const runHead: RunHead = {
    key,
    trigger: { kind: 'event', of: name },
    event: { source, id, type },
    ...(trigger.expects ? { expects: expectationName(name) } : {}),
  };
  const bytes = inputBytes(input);
  return {
    kind: 'submit',
    partition: partitionOf(tenant, job, context.partitions),
    spec: head.spec,
    head: runHead,
    input: bytes === null ? null : await keepPayload(context, tenant, bytes),
    ...(trigger.class === null ? {} : { class: trigger.class }),
  };
}

async function outcomeOf(
  context: NodeContext,
  command: Submit,
  answer: Answer,
): Promise<Omit<StartedRun, 'trigger'>> {
  switch (answer.kind) {
    case 'accepted':
      return { outcome: 'created', run: formatRunId(answer) };
    case 'duplicate': {
      const run = formatRunId(answer);
      if (command.head.expects === undefined) return { outcome: 'duplicate', run };
      const [taken] = await takenBefore(context, command.spec.tenant, [answer]);
      const isLate = taken?.head.trigger?.kind === 'no_event';
      return { outcome: isLate ? 'late' : 'duplicate', run };
    }
    case 'refused': {
      const put = await putOf(context, command, answer);
      if (put.kind === 'run') return { outcome: 'duplicate', run: formatRunId(put.run) };
      if (put.before !== null) return { outcome: 'duplicate', run: put.alias };
      return { outcome: mayBeLiveRun(command) ? 'pending' : 'created', run: put.alias };
    }
    case 'done':
      throw new ApiError('internal', 'the submission returned no result');
  }
}

/** A refused submission waits in the inbox, or something waits there under its key. */
async function putOf(
  context: NodeContext,
  command: Submit,
  answer: Answer & { kind: 'refused' },
): Promise<Put> {
  if (answer.code === 'not_owner') return putInbox(context, command);
  if (answer.entry === undefined) throw refusal(answer);
  const { tenant } = command.spec;
  return reservedPut(context, { tenant, key: command.head.key ?? '', entry: answer.entry }, 0);
}
