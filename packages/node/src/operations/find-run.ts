import {
  entryKey,
  formatRunId,
  isInboxAlias,
  parseIdBytes,
  parseRunId,
  type RunId,
} from '@signalbox/engine';
import type { InboxEntry } from '@signalbox/store';
import { ApiError, type NodeContext } from '../context.ts';
import { itemsOf } from '../loop/index.ts';
import { parseAlias } from './inbox-alias.ts';
import { noRun } from './refusals.ts';
import { findWindowRun } from './schedules/find-window-run.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Where a run is: under its own id, or still in the inbox under its alias. */
export type Found =
  | { readonly kind: 'run'; readonly id: RunId }
  | { readonly kind: 'inbox'; readonly entry: InboxEntry };

/** Reads a run's id, the alias that the inbox handed out, or the id of a window. Throws `not_found` for anything else. */
export async function findRun(context: NodeContext, tenant: string, text: string): Promise<Found> {
  const id = parseRunId(text);
  if (id !== null) return { kind: 'run', id };
  if (!UUID.test(text)) {
    const window = await findWindowRun(context, tenant, text);
    if (window === null) throw noRun(text);
    return { kind: 'run', id: window };
  }
  if (!isInboxAlias(parseIdBytes(text))) throw noRun(text);
  const { entry: alias, position } = parseAlias(text);
  const name = { tenant, key: entryKey(alias), position };
  const taken = await takenUnder(context, name);
  if (taken !== null) return taken;
  const entry = await context.store.readInboxEntry({ tenant, id: alias });
  const waiting = entry === null ? null : entryOf(entry, text, position);
  if (waiting !== null) return { kind: 'inbox', entry: waiting };
  // Taken between the two looks.
  const since =
    (await takenUnder(context, name)) ??
    // The id itself, where an earlier version has written the name.
    (await takenUnder(context, { tenant, key: alias, position }));
  if (since !== null) return since;
  throw noRun(text);
}

/** One submission of an entry, as if it waited alone; the key of a request is not its own. */
function entryOf(entry: InboxEntry, id: string, position: number): InboxEntry | null {
  const items = itemsOf(entry);
  const item = items[position];
  if (item === undefined) return null;
  const { job, class: klass, input } = item;
  const key = items[0]?.head.batch === undefined ? entry.key : null;
  return { ...entry, id, job, class: klass, input, key };
}

/** The alias of an entry stands for its first run; the others of a request follow it in a row. */
async function takenUnder(
  { store }: NodeContext,
  { tenant, key, position }: { tenant: string; key: string; position: number },
): Promise<Found | null> {
  const [holder] = await store.readKeys([{ tenant, key }]);
  if (holder === undefined) return null;
  return { kind: 'run', id: { ...holder.run, seq: holder.run.seq + position } };
}

/** The same, for what can only be done to a run that its owner has taken in. */
export async function findTakenRun(
  context: NodeContext,
  tenant: string,
  text: string,
): Promise<{ id: RunId; text: string }> {
  const found = await findRun(context, tenant, text);
  if (found.kind === 'inbox') {
    const message = 'no node has processed the submission yet; retry';
    throw new ApiError('not_owner', message, { retryAfterSeconds: 1 });
  }
  return { id: found.id, text: formatRunId(found.id) };
}
