import type { BlobRef } from '@signalbox/protocol';
import { ApiError } from '../../errors/api-error.ts';
import { operation } from '../common/operation.ts';
import { PAYLOAD_MAX } from './payloads.ts';

/** Stores bytes that are too large for the journal, and returns their name. */
export const putBlob = operation(
  async (context, caller, params: { bytes: Uint8Array }): Promise<BlobRef> => {
    if (params.bytes.length > PAYLOAD_MAX) {
      throw new ApiError('too_large', `the blob exceeds ${PAYLOAD_MAX} bytes`);
    }
    return context.blobs.put(caller.tenant, params.bytes);
  },
);

export const getBlob = operation(
  async (context, caller, params: { name: string }): Promise<Uint8Array> => {
    const bytes = await context.blobs.get(caller.tenant, params.name);
    if (bytes === null) throw new ApiError('not_found', 'there is no blob with this name');
    return bytes;
  },
);
