import {
  type Answer,
  type Command,
  compareRunIds,
  formatRunId,
  isReserved,
  type RunId,
} from '@signalbox/engine';
import { COUNTED_MAX, type SubmittedInARow } from '@signalbox/protocol';
import { ApiError, type Caller, type NodeContext } from '../../context/index.ts';
import { mayBeDone, otherBatch, refusal, shown } from '../../errors/refusals.ts';
import { contentKey, slicesOf } from '../../loop/index.ts';
import { mayBeLiveRun, type Put, putInbox, putRequest, reservedPut } from './put-inbox.ts';
import { isSameInput, keptInputs } from './same-input.ts';
import { type TakenBefore, takenBefore } from './taken-before.ts';

export type Submit = Command & { kind: 'submit' };
type Outcome = Put | { readonly kind: 'created'; readonly run: RunId };

interface Batch {
  readonly commands: readonly Submit[];
  /** The response must match the request exactly. If false, a submission's own key may belong to another job. */
  readonly strict: boolean;
  /**
   * Handling of a submission whose own key belongs to another job or input. A repeated request may have created the
   * other submissions the first time, so their results must be returned (`report`).
   */
  readonly onConflict?: 'report' | 'refuse';
}

type Decided = Batch & { readonly answers: readonly Answer[] };

/** Decides submissions. Returns results in order, consecutive ids as one range, when all of them are durable. */
export async function decideBatch(
  context: NodeContext,
  caller: Caller,
  batch: Batch,
): Promise<SubmittedInARow[]> {
  const { commands } = batch;
  const answers = await context.loop.executeAll(commands);
  return (
    allCreated(commands, answers) ?? (await resolveOutcomes(context, caller, { ...batch, answers }))
  );
}

/** The usual case; null if any submission was refused or existed already. */
function allCreated(
  commands: readonly Submit[],
  answers: readonly Answer[],
): SubmittedInARow[] | null {
  const rows: SubmittedInARow[] = [];
  let last: RunId | null = null;
  for (let i = 0; i < answers.length; i++) {
    const answer = answers[i] as Answer;
    if (answer.kind !== 'accepted') return null;
    const { job } = (commands[i] as Submit).spec;
    const row = rows.at(-1);
    if (row?.job === job && last !== null && isNext(last, answer)) row.count++;
    else rows.push({ id: formatRunId(answer), job, created: true, count: 1 });
    last = answer;
  }
  return rows;
}

function isNext(last: RunId, { ms, partition, seq }: RunId): boolean {
  return (
    seq === last.seq + 1 && ms === last.ms && partition === last.partition && seq <= COUNTED_MAX
  );
}

/** The results of a batch of which some runs existed already, or belong to another node. */
async function resolveOutcomes(
  context: NodeContext,
  caller: Caller,
  decided: Decided,
): Promise<SubmittedInARow[]> {
  const { commands, strict } = decided;
  const outcomes: (Outcome | undefined)[] = [];
  const isCreated = (): boolean => outcomes.some((each) => each !== undefined && isNew(each));
  try {
    await resolveSlices(context, decided, outcomes);
    const taken = await existingOf(context, caller, { commands, outcomes });
    const claimed = await claimedContents(context, commands, outcomes);
    const others = await otherInputs(context, commands, { outcomes, taken });
    const mayReport = !strict && (decided.onConflict === 'report' || isCreated());
    const rows: SubmittedInARow[] = [];
    for (const [i, command] of commands.entries()) {
      const outcome = outcomes[i] as Outcome;
      const { job } = command.spec;
      const id = outcome.kind === 'entry' ? outcome.alias : formatRunId(outcome.run);
      if (isNew(outcome)) {
        rows.push(newRow(command, outcome, id));
        continue;
      }
      const before = taken[i] ?? null;
      if (before === null && outcome.kind === 'run') {
        throw await goneRun(context, command, outcome.run);
      }
      if (!claimed.has(i)) refuseOtherContent(command, before);
      const conflict = others.has(i) ? otherInput(id) : otherUnderKey(decided, i, { id, before });
      // A reserved key is derived from the request's: then the request as a whole has other content.
      const isOwnKey = command.head.key !== undefined && !isReserved(command.head.key);
      if (conflict !== null && !(mayReport && isOwnKey)) {
        const field = strict || !isOwnKey ? 'idempotencyKey' : `items[${i}].idempotencyKey`;
        throw new ApiError('idempotency_conflict', conflict, { field });
      }
      // A key may belong to a run of another job: the row names the job of that run.
      const row = { id, job: before?.job ?? job, created: false, count: 1 };
      const error = { code: 'idempotency_conflict' as const, message: conflict ?? '' };
      rows.push(conflict === null ? row : { ...row, error });
    }
    return rows;
  } catch (error) {
    throw isCreated() ? mayBeDone(error) : error;
  }
}

/** The existing run or entry of each submission, with its input if the inputs must be equal. */
async function existingOf(
  context: NodeContext,
  { tenant }: Caller,
  { commands, outcomes }: Pick<Batch, 'commands'> & { outcomes: readonly (Outcome | undefined)[] },
): Promise<(TakenBefore | null)[]> {
  const places: number[] = [];
  const runs: RunId[] = [];
  for (const [i, outcome] of outcomes.entries()) {
    if (outcome?.kind !== 'run') continue;
    places.push(i);
    runs.push(outcome.run);
  }
  const known = await takenBefore(context, tenant, runs);
  const taken = outcomes.map((each) => (each?.kind === 'entry' ? each.before : null));
  const compared: number[] = [];
  for (const [at, i] of places.entries()) {
    const before = known[at] ?? null;
    taken[i] = before;
    if (before !== null && isByKey(commands, i, before)) compared.push(at);
  }
  const inputs = await keptInputs(
    context,
    tenant,
    compared.map((at) => runs[at] as RunId),
  );
  for (const [n, at] of compared.entries()) {
    const i = places[at] as number;
    const input = inputs[n];
    if (input !== undefined) taken[i] = { ...(taken[i] as TakenBefore), input };
  }
  return taken;
}

/** Whether the key identified the run. Runs found by a unique value or by exclusivity may have any input. */
function isByKey(commands: readonly Submit[], i: number, { head: before }: TakenBefore): boolean {
  const { head } = commands[i] as Submit;
  // A nested run has the key of its waiting task, and its input is composed again each time.
  if (head.nested !== undefined) return false;
  if (head.key !== undefined) return before.key === head.key;
  const { partition } = commands[i] as Submit;
  const first = commands.find((each) => each.partition === partition);
  return first?.head.batch !== undefined;
}

/** The reason why the key belongs to another submission; null if it belongs to this one. */
function otherUnderKey(
  { commands, strict }: Decided,
  i: number,
  { id, before }: { id: string; before: TakenBefore | null },
): string | null {
  if (before === null) return null;
  const { spec, input } = commands[i] as Submit;
  if (before.job !== spec.job) {
    // In a batch the result names the job of the run, so the caller sees the difference.
    return strict
      ? `the idempotency key belongs to run ${id} of the job ${shown(before.job)}`
      : null;
  }
  if (before.input === undefined || !isByKey(commands, i, before)) return null;
  if (isSameInput(before.input, input)) return null;
  return otherInput(id);
}

function otherInput(id: string): string {
  return `the key belongs to run ${id}, which has another input; repeat a submission with the same input, or use another key`;
}

/**
 * Submissions whose key was first sent with another input and was attached to a live run by a unique value. The
 * input of that run does not matter: the content that was sent is stored under a key of its own.
 */
async function otherInputs(
  { store }: NodeContext,
  commands: readonly Submit[],
  resolved: {
    readonly outcomes: readonly (Outcome | undefined)[];
    readonly taken: readonly (TakenBefore | null)[];
  },
): Promise<Set<number>> {
  const others = new Set<number>();
  for (const [i, { head, spec }] of commands.entries()) {
    const { key, digest } = head;
    const before = resolved.taken[i] ?? null;
    if (resolved.outcomes[i]?.kind !== 'run' || before === null || before.head.key === key)
      continue;
    if (key === undefined || digest === undefined || isReserved(key)) continue;
    const { tenant, job } = spec;
    if (before.job !== job) continue;
    const [held] = await store.readKeys([{ tenant, key: contentKey(key, digest) }]);
    if (held === undefined) others.add(i);
  }
  return others;
}

function isNew(outcome: Outcome): boolean {
  return outcome.kind === 'created' || (outcome.kind === 'entry' && outcome.before === null);
}

/** An entry may resolve to a live run: `created` here would promise the same run to two clients. */
function newRow(command: Submit, { kind }: Outcome, id: string): SubmittedInARow {
  const { job } = command.spec;
  if (kind === 'entry' && mayBeLiveRun(command)) {
    return { id, job, created: false, pending: true, count: 1 };
  }
  return { id, job, created: true, count: 1 };
}

/**
 * The key of a request may be attached to a run of another request, by a unique value. That run does not describe
 * the content of this request; the content is stored under a key of its own.
 */
async function claimedContents(
  { store }: NodeContext,
  commands: readonly Submit[],
  outcomes: readonly (Outcome | undefined)[],
): Promise<Set<number>> {
  const claimed = new Set<number>();
  for (const [i, { head, spec }] of commands.entries()) {
    const outcome = outcomes[i];
    if (outcome?.kind !== 'run') continue;
    if (head.key === undefined || head.digest === undefined || !isReserved(head.key)) continue;
    const key = contentKey(head.key, head.digest);
    const [held] = await store.readKeys([{ tenant: spec.tenant, key }]);
    if (held !== undefined && compareRunIds(held.run, outcome.run) === 0) claimed.add(i);
  }
  return claimed;
}

/** Records accepted submissions first: if a later step fails, the response must not claim that nothing exists. */
async function resolveSlices(
  context: NodeContext,
  { commands, answers }: Decided,
  outcomes: (Outcome | undefined)[],
): Promise<void> {
  for (const [i, answer] of answers.entries()) {
    if (answer.kind === 'accepted') outcomes[i] = { kind: 'created', run: answer };
    else if (answer.kind === 'duplicate') outcomes[i] = { kind: 'run', run: answer };
  }
  for (const answer of answers) {
    if (answer.kind !== 'refused' || answer.code === 'not_owner') continue;
    if (answer.code !== 'key_reserved') throw refusal(answer);
  }
  for (const { indexes } of slicesOf(commands)) {
    const first = commands[indexes[0] as number] as Submit;
    for (const [at, i] of indexes.entries()) {
      const answer = answers[i] as Answer;
      if (answer.kind !== 'refused' || answer.entry === undefined) continue;
      // The first submission of a request carries the key of all.
      const isRequest = first.head.batch !== undefined;
      const { head, spec } = isRequest ? first : (commands[i] as Submit);
      const reserved = { tenant: spec.tenant, key: head.key ?? '', entry: answer.entry };
      outcomes[i] = await reservedPut(context, reserved, isRequest ? at : 0);
    }
    const elsewhere = indexes.filter((i) => outcomes[i] === undefined);
    await putAll(context, { commands, indexes: elsewhere }, outcomes);
  }
}

/** Records each entry as soon as it is durable: it stays if a later put fails. */
async function putAll(
  context: NodeContext,
  { commands, indexes }: { commands: readonly Submit[]; indexes: readonly number[] },
  outcomes: (Outcome | undefined)[],
): Promise<void> {
  const waiting = indexes.map((i) => commands[i] as Submit);
  const { key, batch } = waiting[0]?.head ?? {};
  if (key !== undefined && batch !== undefined) {
    const puts = await putRequest(context, { commands: waiting, key });
    for (const [at, i] of indexes.entries()) outcomes[i] = puts[at];
    return;
  }
  for (const i of indexes) outcomes[i] = await putInbox(context, commands[i] as Submit);
}

/**
 * The key belongs to a run that retention has deleted. Whether it was the same submission can no longer be decided,
 * and treating it as the same would acknowledge work that never runs. If the store no longer has the key, memory
 * drops it too, and a retry is a new submission.
 */
async function goneRun(
  { loop, store }: NodeContext,
  { head, spec }: Submit,
  run: RunId,
): Promise<ApiError> {
  const { tenant } = spec;
  const { key = '' } = head;
  const id = formatRunId(run);
  const [held] = key === '' ? [] : await store.readKeys([{ tenant, key }]);
  if (held !== undefined) {
    const message = `the idempotency key belongs to run ${id}, which is no longer stored; use another key`;
    return new ApiError('idempotency_conflict', message, { field: 'idempotencyKey' });
  }
  const { keys, now } = loop.engine.core;
  const known = keys.get(tenant, key, now);
  if (known?.seq === run.seq && known.partition === run.partition) keys.delete(tenant, key);
  return new ApiError('unavailable', `run ${id} is no longer stored; send the submission again`);
}

/** Refuses a request whose key belongs to a request with other content. */
function refuseOtherContent({ head }: Submit, taken: TakenBefore | null): void {
  // A new entry, or nothing to compare with.
  if (taken === null) return;
  // Only anchors describe the content; other submissions may resolve to a run by their unique value.
  const isContent = head.batch !== undefined || head.digest !== undefined;
  const isOther = head.batch !== taken.head.batch || head.digest !== taken.head.digest;
  if (isContent && head.key !== undefined && isReserved(head.key) && isOther) throw otherBatch();
}
