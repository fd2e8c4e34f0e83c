import {
  formatRunId,
  isInboxAlias,
  parseIdBytes,
  parseRunId,
  type RunId,
  readRunId,
} from '@signalbox/engine';
import type { InboxEntry } from '@signalbox/store';
import { ApiError, type NodeContext } from '../context.ts';
import { noRun } from './refusals.ts';

const INBOX_LOOK = 5_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Where a run is: under its own id, or still in the inbox under its alias. */
export type Found =
  | { readonly kind: 'run'; readonly id: RunId }
  | { readonly kind: 'inbox'; readonly entry: InboxEntry };

/** Reads a run's id, or the alias that the inbox handed out. Throws `not_found` for anything else. */
export async function findRun(context: NodeContext, tenant: string, text: string): Promise<Found> {
  const id = parseRunId(text);
  if (id !== null) return { kind: 'run', id };
  if (!UUID.test(text)) throw noRun(text);
  const bytes = parseIdBytes(text);
  if (!isInboxAlias(bytes)) throw noRun(text);
  const [holder] = await context.store.readKeys([{ tenant, key: text }]);
  if (holder !== undefined) return { kind: 'run', id: holder.run };
  const { partition } = readRunId(bytes);
  const entries = await context.store.readInbox({ partitions: [partition], limit: INBOX_LOOK });
  const entry = entries.find((each) => each.id === text && each.tenant === tenant);
  if (entry !== undefined) return { kind: 'inbox', entry };
  // Taken between the two looks.
  const [taken] = await context.store.readKeys([{ tenant, key: text }]);
  if (taken !== undefined) return { kind: 'run', id: taken.run };
  throw noRun(text);
}

/** The same, for what can only be done to a run that its owner has taken in. */
export async function findTakenRun(
  context: NodeContext,
  tenant: string,
  text: string,
): Promise<{ id: RunId; text: string }> {
  const found = await findRun(context, tenant, text);
  if (found.kind === 'inbox') {
    const message = 'no node has taken the submission in yet';
    throw new ApiError('not_owner', message, { retryAfterSeconds: 1 });
  }
  return { id: found.id, text: formatRunId(found.id) };
}
