import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { PLATFORM } from '@signalbox/protocol';
import { readCurrentDefinition, type Store } from '@signalbox/store';
import { ApiError } from '../../errors/api-error.ts';

const KEY = { tenant: PLATFORM, kind: 'cursor-key', name: 'cursor-key' } as const;
const KEY_BYTES = 32;
const MAC_BYTES = 16;

/** A list of one tenant, with everything that selects its items. */
export interface ListScope {
  readonly list: string;
  readonly tenant: string;
  readonly filter: Readonly<Record<string, unknown>>;
}

/** The same text for a changed cursor, a cursor of another tenant and a cursor of another list. */
export function invalidCursor(field: string): ApiError {
  const message =
    'invalid cursor; use next of the previous page of the same list, with the same filter';
  return new ApiError('bad_request', message, { field });
}

const keys = new WeakMap<Store, Promise<Buffer>>();

/** One key for all nodes over a store, created by the first that needs it. */
function keyOf(store: Store): Promise<Buffer> {
  const known = keys.get(store);
  if (known !== undefined) return known;
  const reading = readKey(store);
  keys.set(store, reading);
  reading.catch(() => keys.delete(store));
  return reading;
}

async function readKey(store: Store): Promise<Buffer> {
  // A damaged key is replaced: open lists begin again, which is better than none at all.
  const found = await readCurrentDefinition(store, KEY);
  if (found !== null && !found.deleted) return keyIn(found.body);
  const expectedVersion = found?.version ?? 0;
  const body = JSON.stringify({ key: randomBytes(KEY_BYTES).toString('base64') });
  const written = await store.putDefinition({ ...KEY, expectedVersion, body, author: 'node' });
  if (written.kind !== 'conflict') return keyIn(body);
  const other = await store.getDefinition(KEY);
  if (other === null) throw new Error('the key of cursors is missing');
  return keyIn(other.body);
}

function keyIn(body: string): Buffer {
  return Buffer.from((JSON.parse(body) as { key: string }).key, 'base64');
}

/** Signs the position after a page, so that it is valid only for the same list, tenant and filter. */
export async function sealCursor(
  store: Store,
  scope: ListScope,
  position: string,
): Promise<string> {
  const mac = macOf(await keyOf(store), scope, position);
  return Buffer.concat([mac, Buffer.from(position)]).toString('base64url');
}

/** The position in a cursor; throws if this cluster has not signed it for the list. */
export async function openCursor(
  store: Store,
  scope: ListScope,
  { field, text }: { readonly field: string; readonly text: string },
): Promise<string> {
  const bytes = Buffer.from(text, 'base64url');
  const position = bytes.subarray(MAC_BYTES).toString();
  const isSigned = (key: Buffer) =>
    bytes.length > MAC_BYTES &&
    bytes.toString('base64url') === text &&
    timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(key, scope, position));
  if (isSigned(await keyOf(store))) return position;
  // The key in memory is outdated if the store was replaced by a backup while the node was running.
  keys.delete(store);
  if (isSigned(await keyOf(store))) return position;
  throw invalidCursor(field);
}

function macOf(key: Buffer, { list, tenant, filter }: ListScope, position: string): Buffer {
  const text = JSON.stringify([list, tenant, sorted(filter), position]);
  return createHmac('sha256', key).update(text).digest().subarray(0, MAC_BYTES);
}

/** Fields in one order, without those that are absent: the same filter has one text. */
function sorted(filter: Readonly<Record<string, unknown>>): unknown {
  return Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, String(value)]);
}
