import { createHash, randomInt } from 'node:crypto';
import {
  type Answer,
  type Command,
  formatRunId,
  inboxId,
  parseRunId,
  partitionOf,
} from '@signalbox/engine';
import type { Submitted } from '@signalbox/protocol';
import { shed } from '../api/shedding.ts';
import { ApiError, type Caller, type NodeContext } from '../context.ts';
import { type JobHead, jobHeads } from './job-heads.ts';
import { operation } from './operation.ts';
import { isInline, keepBlob, keepPayload } from './payloads.ts';
import { noJob, refusal, shown } from './refusals.ts';
import { type Checked, checkSubmission, type SubmitItem } from './submission.ts';

const BATCH_MAX = 1_000;

type Submit = Command & { kind: 'submit' };

/**
 * Submits a batch; a single submission is a batch of one. Everything is checked before anything is
 * decided: one bad item and nothing of the batch exists (h13). Answers in order, once all of it is
 * durable.
 */
export const submitRuns = operation(
  async (
    context,
    caller,
    params: { items: readonly SubmitItem[]; trace?: string; single?: boolean },
  ): Promise<Submitted[]> => {
    const { items, trace } = params;
    if (items.length === 0 || items.length > BATCH_MAX) {
      throw new ApiError('invalid', `a batch has 1 to ${BATCH_MAX} items`, { field: 'items' });
    }
    const now = context.loop.time.now();
    const checked = items.map((item, i) =>
      checkSubmission(item, { caller, now, trace, path: params.single ? '' : `items[${i}].` }),
    );
    const heads = await readHeads(context, caller, { checked, single: params.single === true });
    const commands: Submit[] = [];
    for (const [i, item] of checked.entries()) {
      const head = heads.get(item.job) as JobHead;
      const field = params.single ? 'inputBlob' : `items[${i}].inputBlob`;
      const input = needsBlob(item)
        ? await keepInput(context, caller.tenant, { item, field })
        : item.input;
      commands.push({
        kind: 'submit',
        partition: partitionOf(caller.tenant, item.job, context.partitions),
        spec: head.spec,
        head: item.head,
        ...(item.class === null ? {} : { class: item.class }),
        input,
      });
    }
    for (const { class: klass, spec } of commands) shed(context, klass ?? spec.class);
    const answers = await context.loop.executeAll(commands);
    const submitted: Submitted[] = [];
    for (const [i, answer] of answers.entries()) {
      const command = commands[i] as Submit;
      const one = accepted(command, answer) ?? (await notHere(context, command, answer));
      submitted.push(one.created ? one : await withTrueJob(context, caller, one));
    }
    if (params.single) refuseForeignKey(checked[0], submitted[0]);
    return submitted;
  },
);

/** Most inputs are small, and a submission must not wait for a promise that it does not need. */
function needsBlob({ input, blob }: Checked): boolean {
  return blob !== null || (input !== null && !isInline(input));
}

async function keepInput(
  context: NodeContext,
  tenant: string,
  { item, field }: { item: Checked; field: string },
): Promise<Uint8Array | null> {
  if (item.blob !== null) return keepBlob(context, tenant, { name: item.blob, field });
  return item.input === null ? null : keepPayload(context, tenant, item.input);
}

async function readHeads(
  context: NodeContext,
  caller: Caller,
  { checked, single }: { checked: readonly Checked[]; single: boolean },
): Promise<Map<string, JobHead>> {
  const heads = new Map<string, JobHead>();
  const known = jobHeads(context.loop);
  for (const [i, { job }] of checked.entries()) {
    if (heads.has(job)) continue;
    const head = await known.newest(caller.tenant, job);
    if (head === null) throw noJob(job);
    if (head.paused) {
      const field = single ? 'job' : `items[${i}].job`;
      throw new ApiError('job_paused', `the job ${shown(job)} is paused`, { field });
    }
    heads.set(job, head);
  }
  return heads;
}

/** A key may belong to a run of another job: whoever repeats it must not be told otherwise. */
async function withTrueJob(
  context: NodeContext,
  { tenant }: Caller,
  submitted: Submitted,
): Promise<Submitted> {
  const id = parseRunId(submitted.id);
  if (id === null) return submitted;
  const live = context.loop.engine.core.books.get(id.partition)?.runs.get(id.seq);
  if (live !== undefined && live.ms === id.ms) return { ...submitted, job: live.spec.job };
  const [row] = await context.store.readRuns({ ids: [{ tenant, id }], withInput: false });
  return row === undefined ? submitted : { ...submitted, job: row.job };
}

function refuseForeignKey(asked: Checked | undefined, got: Submitted | undefined): void {
  if (asked === undefined || got === undefined || asked.job === got.job) return;
  const message = `the key belongs to run ${got.id} of the job ${shown(got.job)}`;
  throw new ApiError('conflict', message, { field: 'key' });
}

function accepted({ spec: { job } }: Submit, answer: Answer): Submitted | null {
  if (answer.kind !== 'accepted' && answer.kind !== 'duplicate') return null;
  return { id: formatRunId(answer), job, created: answer.kind === 'accepted' };
}

async function notHere(context: NodeContext, command: Submit, answer: Answer): Promise<Submitted> {
  if (answer.kind !== 'refused') throw new ApiError('internal', 'a submission was not answered');
  if (answer.code === 'not_owner') return putInbox(context, command);
  throw refusal(answer);
}

/**
 * Another node owns the job's partition, or nobody does yet: the submission is kept durably for the
 * owner. With a key the alias is made of the key, so that asking again gives the same answer.
 */
async function putInbox(context: NodeContext, command: Submit): Promise<Submitted> {
  const { store, loop } = context;
  const { partition, spec, input } = command;
  const { tenant, job } = spec;
  const { key, ...head } = command.head;
  if (key !== undefined) {
    const [holder] = await store.readKeys([{ tenant, key }]);
    if (holder !== undefined) return { id: formatRunId(holder.run), job, created: false };
  }
  const atMs = loop.time.now();
  const id = key === undefined ? randomAlias(partition, atMs) : aliasOf(partition, tenant, key);
  await store.putInbox({
    id,
    partition,
    tenant,
    job,
    class: command.class ?? spec.class,
    head: JSON.stringify(head),
    input,
    key: key ?? null,
    atMs,
  });
  return { id, job, created: true };
}

function randomAlias(partition: number, ms: number): string {
  const randomHigh = randomInt(2 ** 32);
  return inboxId({ ms, partition, randomHigh, randomLow: randomInt(2 ** 32) });
}

function aliasOf(partition: number, tenant: string, key: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([tenant, key]))
    .digest();
  const randomHigh = digest.readUInt32BE(0);
  return inboxId({ ms: 0, partition, randomHigh, randomLow: digest.readUInt32BE(4) });
}
