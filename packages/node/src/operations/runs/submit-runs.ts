import { type Class, partitionOf, type RunHead } from '@signalbox/engine';
import { BATCH_MAX, oneByOne, type Submitted, type SubmittedInARow } from '@signalbox/protocol';
import { ApiError, type Caller, type NodeContext } from '../../context/index.ts';
import { noJob, shown } from '../../errors/refusals.ts';
import { decideBatch, type Submit } from '../batches/decide-batch.ts';
import { inputDigest } from '../batches/same-input.ts';
import { submitUnderKey } from '../batches/submit-under-key.ts';
import { isInline, keepBlob, keepPayload } from '../blobs/payloads.ts';
import { operation } from '../common/operation.ts';
import { jobHeads } from '../jobs/job-heads.ts';
import { shed } from './shedding.ts';
import {
  type Checked,
  checkName,
  checkSubmissions,
  fieldAt,
  type SubmitItem,
} from './submission.ts';

export interface SubmitParams {
  readonly items: readonly SubmitItem[];
  readonly trace?: string;
  /** Not a batch: fields are named without their position, and a key of another job is refused. */
  readonly single?: boolean;
  /** Makes the whole request repeatable: sent again with the same key, it returns the same runs. */
  readonly key?: string;
}

/**
 * Submits a batch; a single submission is a batch of one. Everything is validated before anything is decided: with
 * one invalid item nothing of the batch is created (h13). Returns results in order, when all of it is durable.
 */
export const submitInARow = operation(
  async (context, caller, params: SubmitParams): Promise<SubmittedInARow[]> => {
    const { items, trace, key, single = false } = params;
    if (items.length === 0 || items.length > BATCH_MAX) {
      throw new ApiError('invalid', `a batch must have 1 to ${BATCH_MAX} items`, {
        field: 'items',
      });
    }
    if (key !== undefined) checkName('idempotencyKey', key);
    const now = context.loop.time.now();
    const checked = checkSubmissions(items, { caller, now, trace, single });
    const submits = await commandsOf(context, caller, { checked, single });
    refuseOverload(context, submits);
    if (key !== undefined) return submitUnderKey(context, caller, { submits, key });
    return decideBatch(context, caller, { commands: submits, strict: single });
  },
);

/** Like `submitInARow`, with one result per run. */
export async function submitRuns(
  context: NodeContext,
  caller: Caller,
  params: SubmitParams,
): Promise<Submitted[]> {
  return oneByOne(await submitInARow(context, caller, params));
}

async function commandsOf(
  context: NodeContext,
  caller: Caller,
  batch: { checked: readonly Checked[]; single: boolean },
): Promise<Submit[]> {
  const { tenant } = caller;
  const commands: Submit[] = [];
  let target: Target | undefined;
  for (let i = 0; i < batch.checked.length; i++) {
    const item = batch.checked[i] as Checked;
    // Alternating jobs are looked up again, but in memory: nothing is read twice.
    if (item.job !== target?.spec.job) {
      target = await targetOf(context, tenant, { job: item.job, field: fieldAt(batch, i, 'job') });
    }
    const { spec, partition } = target;
    const input = needsBlob(item)
      ? await keepInput(context, tenant, { item, field: fieldAt(batch, i, 'inputBlob') })
      : item.input;
    const command = {
      kind: 'submit',
      partition,
      spec,
      head: headOf(item, spec, input),
      input,
    } as const;
    commands.push(item.class === null ? command : { ...command, class: item.class });
  }
  return commands;
}

/**
 * A submission that resolves to a live run by its unique value attaches its key to that run, which may have another
 * input: a digest of the submitted input is therefore stored with the key.
 */
function headOf(
  { head }: Checked,
  { exclusive }: Submit['spec'],
  input: Uint8Array | null,
): RunHead {
  const mayBeLive = head.unique !== undefined || exclusive;
  if (head.key === undefined || !mayBeLive) return head;
  return { ...head, digest: inputDigest(input) };
}

/** The definition and the partition of a job's runs. */
type Target = Pick<Submit, 'spec' | 'partition'>;

async function targetOf(
  { loop, partitions }: NodeContext,
  tenant: string,
  { job, field }: { job: string; field: string },
): Promise<Target> {
  const heads = jobHeads(loop);
  const head = heads.known(tenant, job) ?? (await heads.newest(tenant, job));
  if (head === null) throw noJob(job, { field });
  if (head.paused)
    throw new ApiError('job_paused', `the job ${shown(job)} is paused; resume the job first`, {
      field,
    });
  return { spec: head.spec, partition: partitionOf(tenant, job, partitions) };
}

/** Most inputs are small and must not wait for a promise that they do not need. */
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

/**
 * Maximum size of the inputs of one batch, without blobs: a batch becomes durable in one commit, and stores limit
 * the size of a commit.
 */
export const BATCH_BYTES_MAX = 67_108_864;

/** Refuses the whole batch if the node is too loaded for its least urgent submission. */
function refuseOverload(context: NodeContext, commands: readonly Submit[]): void {
  let least = 0;
  let bytes = 0;
  for (const { class: priority, spec, input } of commands) {
    least = Math.max(least, priority ?? spec.class);
    bytes += input?.length ?? 0;
  }
  if (bytes > BATCH_BYTES_MAX) {
    const message = `the inputs of the batch exceed ${BATCH_BYTES_MAX} bytes; send several smaller batches`;
    throw new ApiError('too_large', message, { field: 'items' });
  }
  shed(context, least as Class);
}
