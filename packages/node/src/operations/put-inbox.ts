import type { Command, RunId } from '@signalbox/engine';
import type { NodeContext } from '../context.ts';
import { packRequest } from '../loop/index.ts';
import { aliasOf, randomAlias } from './inbox-alias.ts';

type Submit = Command & { kind: 'submit' };

/** Where a submission is by now: already a run under its key, or in the inbox. */
export type Put =
  | { readonly kind: 'run'; readonly run: RunId }
  | { readonly kind: 'entry'; readonly alias: string };

/**
 * Another node owns the job's partition, or nobody does yet: the submission is kept durably for the
 * owner. With a key the alias is made of the key, so that asking again gives the same answer.
 */
export async function putInbox(context: NodeContext, command: Submit): Promise<Put> {
  const { partition, spec, input } = command;
  const { tenant, job } = spec;
  const { key, ...head } = command.head;
  const holder = key === undefined ? null : await holderOf(context, tenant, key);
  if (holder !== null) return { kind: 'run', run: holder };
  const atMs = context.loop.time.now();
  const id = key === undefined ? randomAlias(partition, atMs) : aliasOf({ tenant, key, partition });
  const klass = command.class ?? spec.class;
  await context.store.putInbox({
    id,
    partition,
    tenant,
    job,
    class: klass,
    head: JSON.stringify(head),
    input,
    key: key ?? null,
    atMs,
  });
  return { kind: 'entry', alias: id };
}

/** The same for what one request asks of a partition, whose first submission carries the key. */
export async function putRequest(
  context: NodeContext,
  { commands, key }: { commands: readonly Submit[]; key: string },
): Promise<Put[]> {
  const { partition, spec } = commands[0] as Submit;
  const { tenant } = spec;
  const holder = await holderOf(context, tenant, key);
  if (holder !== null) {
    return commands.map((_, i) => ({ kind: 'run', run: { ...holder, seq: holder.seq + i } }));
  }
  const items = commands.map(({ spec, class: klass = spec.class, head, input }) => {
    const { key: _, batch: __, ...kept } = head;
    return { job: spec.job, class: klass, head: kept, input };
  });
  const atMs = context.loop.time.now();
  const id = aliasOf({ tenant, key, partition });
  await context.store.putInbox({ id, partition, tenant, key, atMs, ...packRequest(items) });
  return commands.map((_, i) => ({ kind: 'entry', alias: aliasOf({ tenant, key, partition }, i) }));
}

async function holderOf(context: NodeContext, tenant: string, key: string): Promise<RunId | null> {
  const [holder] = await context.store.readKeys([{ tenant, key }]);
  return holder?.run ?? null;
}
