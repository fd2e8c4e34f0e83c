import type { Command, RunId } from '@signalbox/engine';
import type { InboxEntry, PutResult } from '@signalbox/store';
import { ApiError, type NodeContext } from '../../context/index.ts';
import { aliasAt, aliasOf, randomAlias, requestAlias } from '../../inbox/inbox-alias.ts';
import { itemsOf, packHead, packRequest } from '../../loop/index.ts';
import type { TakenBefore } from './taken-before.ts';

type Submit = Command & { kind: 'submit' };

/** The current place of a submission: a run under its key, or an inbox entry. */
export type Put =
  | { readonly kind: 'run'; readonly run: RunId }
  | {
      readonly kind: 'entry';
      readonly alias: string;
      /** Null if this call stored the entry; else the submission that waited under the key already. */
      readonly before: TakenBefore | null;
    };

/** Only the owner of the partition knows its live runs, and whether this submission is one of them. */
export function mayBeLiveRun({ head, spec }: Submit): boolean {
  return head.unique !== undefined || spec.exclusive;
}

/**
 * Stores a submission durably for the owner of its partition, if this node does not own it. The entry reserves the
 * key: a repeated call returns the same entry, and no other submission gets the key.
 */
export async function putInbox(context: NodeContext, command: Submit): Promise<Put> {
  const { partition, spec, input } = command;
  const { tenant, job } = spec;
  const { key, ...head } = command.head;
  const atMs = context.loop.time.now();
  const id = entryIdOf(command, atMs);
  const result = await context.store.putInbox({
    id,
    partition,
    kind: 'submission',
    tenant,
    job,
    class: command.class ?? spec.class,
    head: packHead(head, !mayBeLiveRun(command)),
    input,
    key: key ?? null,
    atMs,
  });
  if (result.kind === 'run') return { kind: 'run', run: result.run };
  // Without a key only a repetition of this call can have stored it.
  if (result.kind === 'put' || key === undefined) return { kind: 'entry', alias: id, before: null };
  return waitingPut(result.entry, 0);
}

/**
 * The entry of a nested run is found by its key, which belongs to one wait and is never reused. A client's key may be
 * reused after retention deletes it, and an alias derived from it could still name the earlier run.
 */
function entryIdOf({ partition, spec, head }: Submit, atMs: number): string {
  const { key, nested } = head;
  if (key === undefined || nested === undefined) return randomAlias(partition, atMs);
  return aliasOf({ tenant: spec.tenant, key, partition });
}

/** Like `putInbox`, for all submissions of a request in one partition; the first carries the key. */
export async function putRequest(
  context: NodeContext,
  { commands, key }: { commands: readonly Submit[]; key: string },
): Promise<Put[]> {
  const { partition, spec } = commands[0] as Submit;
  const { tenant } = spec;
  const items = commands.map(({ spec, class: priority = spec.class, head, input }) => {
    const { key: _, batch: __, ...kept } = head;
    return { job: spec.job, class: priority, head: kept, input };
  });
  const atMs = context.loop.time.now();
  const id = requestAlias(partition);
  const entry = { id, partition, tenant, key, atMs, ...packRequest(items) };
  const result = await context.store.putInbox(entry);
  return commands.map((_, i) => putAt(entry, result, i));
}

/** The place of a request's submission at this position. */
function putAt({ id }: { id: string }, result: PutResult, position: number): Put {
  switch (result.kind) {
    case 'run':
      return { kind: 'run', run: { ...result.run, seq: result.run.seq + position } };
    case 'waiting':
      return waitingPut(result.entry, position);
    case 'put':
      return { kind: 'entry', alias: aliasAt(id, position), before: null };
  }
}

/** The holder of a reserved key: the entry, or the run that it has become. */
export async function reservedPut(
  { store }: NodeContext,
  { tenant, key, entry: id }: { tenant: string; key: string; entry: string },
  position: number,
): Promise<Put> {
  const entry = await store.readInboxEntry({ tenant, id });
  if (entry !== null) return waitingPut(entry, position);
  const [holder] = await store.readKeys([{ tenant, key }]);
  if (holder !== undefined) {
    return { kind: 'run', run: { ...holder.run, seq: holder.run.seq + position } };
  }
  const message = 'the submission with this idempotency key is being processed; retry';
  throw new ApiError('unavailable', message, { retryAfterSeconds: 1 });
}

function waitingPut(entry: InboxEntry, position: number): Put {
  const items = itemsOf(entry);
  const [first] = items;
  const input = items[position]?.input ?? null;
  const before = { job: first?.job ?? entry.job, head: first?.head ?? {}, input };
  return { kind: 'entry', alias: aliasAt(entry.id, position), before };
}
