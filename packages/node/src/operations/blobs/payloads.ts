import { createHash } from 'node:crypto';
import {
  decodeBlobRef,
  encodeBlobRef,
  looksLikeBlobRef,
  PAYLOAD_INLINE_MAX,
} from '@signalbox/protocol';
import { DAY_MS, dayEndOf } from '../../blobs/blob-name.ts';
import { ApiError, type NodeContext } from '../../context/index.ts';

/** The largest payload there may be. */
export const PAYLOAD_MAX = 67_108_864;

/** What the journal keeps of a payload: itself, or a reference to the blob that holds it (EXT-19). */
export async function keepPayload(
  context: NodeContext,
  tenant: string,
  bytes: Uint8Array,
): Promise<Uint8Array> {
  if (isInline(bytes)) return bytes;
  return encodeBlobRef(await context.blobs.put(tenant, bytes));
}

/** A payload that was sent ahead, as the journal keeps it. */
export async function keepBlob(
  context: NodeContext,
  tenant: string,
  blob: { name: string; field: string },
): Promise<Uint8Array> {
  const { name, field } = blob;
  const bytes = await context.blobs.get(tenant, name);
  if (bytes === null) throw new ApiError('invalid', 'there is no blob with this name', { field });
  if (isInline(bytes)) return bytes;
  if (!isRecent(context, name)) return encodeBlobRef(await context.blobs.put(tenant, bytes));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return encodeBlobRef({ name, bytes: bytes.length, sha256 });
}

/**
 * A payload of an older run, as a new run may keep it. Blobs are collected by their day, so that the
 * new run needs one of its own days: with the old reference it would lose its input together with
 * the old run.
 */
export async function renewPayload(
  context: Pick<NodeContext, 'blobs' | 'loop'>,
  tenant: string,
  kept: Uint8Array,
): Promise<Uint8Array> {
  const ref = decodeBlobRef(kept);
  if (ref === null || isRecent(context, ref.name)) return kept;
  const bytes = await context.blobs.get(tenant, ref.name);
  if (bytes === null) throw notKept();
  return encodeBlobRef(await context.blobs.put(tenant, bytes));
}

/** Put today or yesterday, which is well within what the collection leaves alone. */
function isRecent({ loop }: Pick<NodeContext, 'loop'>, name: string): boolean {
  const endMs = dayEndOf(name);
  return endMs !== null && endMs > loop.time.now() - DAY_MS;
}

function notKept(): ApiError {
  return new ApiError('not_found', 'the payload is no longer stored');
}

export function isInline(bytes: Uint8Array): boolean {
  return bytes.length <= PAYLOAD_INLINE_MAX && !looksLikeBlobRef(bytes);
}

/** The payload itself, wherever it rests. */
export async function loadPayload(
  context: NodeContext,
  tenant: string,
  kept: Uint8Array,
): Promise<Uint8Array> {
  const ref = decodeBlobRef(kept);
  if (ref === null) return kept;
  const bytes = await context.blobs.get(tenant, ref.name);
  if (bytes === null) throw notKept();
  return bytes;
}
