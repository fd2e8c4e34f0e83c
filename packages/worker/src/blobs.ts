import { createHash } from 'node:crypto';
import {
  type BlobRef,
  decodeBlobRef,
  encodeBlobRef,
  looksLikeBlobRef,
  PAYLOAD_INLINE_MAX,
} from '@signalbox/protocol/link';
import { BackOff } from './back-off.ts';
import { ClassedError, PermanentError, TransientError } from './errors.ts';

const REQUEST_MS = 60_000;
/** Statuses that may change with time; storing an output is retried for as long as they last. */
const TEMPORARY: ReadonlySet<number> = new Set([401, 408, 425, 429]);

/** Payloads that are too large for the link, by the tenant of the attempt. */
export interface Blobs {
  get(tenant: string, name: string): Promise<Uint8Array | null>;
  put(tenant: string, bytes: Uint8Array): Promise<BlobRef>;
}

/** Blobs over the API of the first of several nodes that is available. */
export function httpBlobs(params: { url: string | readonly string[]; key: string }): Blobs {
  const urls = typeof params.url === 'string' ? [params.url] : params.url;
  const nodes = urls.map((url) => blobsOfNode({ url, key: params.key }));
  return {
    get: async (tenant, name) => {
      let failure: unknown = null;
      for (const node of nodes) {
        try {
          const bytes = await node.get(tenant, name);
          if (bytes !== null) return bytes;
        } catch (error) {
          failure = error;
        }
      }
      // Missing only if all nodes report so.
      if (failure !== null) throw failure;
      return null;
    },
    put: async (tenant, bytes) => {
      let failure: unknown = null;
      for (const node of nodes) {
        try {
          return await node.put(tenant, bytes);
        } catch (error) {
          if (error instanceof PermanentError) throw error;
          failure = error;
        }
      }
      throw failure;
    },
  };
}

function blobsOfNode(params: { url: string; key: string }): Blobs {
  const base = new URL('/api/v1/blobs', params.url.replace(/^ws/, 'http'));
  const headers = (tenant: string) => ({
    authorization: `Bearer ${params.key}`,
    'signalbox-tenant': tenant,
  });
  return {
    async get(tenant, name) {
      const url = `${base}/${encodeURIComponent(name)}`;
      const response = await fetch(url, { headers: headers(tenant), ...bounds() });
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      await response.body?.cancel();
      if (response.status === 404) return null;
      // The key of another worker may be allowed to read it, so the task is retried.
      throw new TransientError(`the blob store responded with HTTP ${response.status}`);
    },
    async put(tenant, bytes) {
      const response = await fetch(base, {
        method: 'PUT',
        headers: { ...headers(tenant), 'content-type': 'application/octet-stream' },
        body: bytes as Uint8Array<ArrayBuffer>,
        ...bounds(),
      });
      if (response.ok) return (await response.json()) as BlobRef;
      // An unread body keeps its connection until it is garbage-collected.
      await response.body?.cancel();
      throw refused(response.status);
    },
  };
}

/** No redirects, because the key is only for the node; and a timeout. */
function bounds(): { redirect: 'error'; signal: AbortSignal } {
  return { redirect: 'error', signal: AbortSignal.timeout(REQUEST_MS) };
}

function refused(status: number): Error {
  const message = `the blob store responded with HTTP ${status}`;
  const never = status >= 400 && status < 500 && !TEMPORARY.has(status);
  return never ? new PermanentError(message) : new TransientError(message);
}

/** Reads the payload if the frame contains a reference to it. */
export async function resolvePayload(params: {
  blobs: Blobs | undefined;
  tenant: string;
  payload: Uint8Array;
}): Promise<Uint8Array> {
  const ref = decodeBlobRef(params.payload);
  if (ref === null) return params.payload;
  if (params.blobs === undefined) throw new TransientError('this worker has no blob store');
  const bytes = await params.blobs.get(params.tenant, ref.name);
  if (bytes === null) throw new TransientError(`the blob ${ref.name} does not exist`);
  if (createHash('sha256').update(bytes).digest('hex') !== ref.sha256) {
    throw new TransientError(`the blob ${ref.name} does not match its SHA-256 hash`);
  }
  return bytes;
}

export function needsBlob(payload: Uint8Array): boolean {
  return payload.length > PAYLOAD_INLINE_MAX || looksLikeBlobRef(payload);
}

/**
 * Stores the payload as a blob and returns the reference to it. Retries until the signal fires: a result must
 * not be lost because the node is unavailable when the task ends (WRK-09).
 */
export async function storePayload(params: {
  blobs: Blobs | undefined;
  tenant: string;
  payload: Uint8Array;
  signal: AbortSignal;
}): Promise<Uint8Array> {
  if (params.blobs === undefined) {
    throw new PermanentError(
      `a payload of ${params.payload.length} bytes needs a blob store, and this worker has none`,
    );
  }
  const backOff = new BackOff();
  for (;;) {
    try {
      return encodeBlobRef(await params.blobs.put(params.tenant, params.payload));
    } catch (error) {
      if (error instanceof ClassedError && error.errorClass !== 'transient') throw error;
      await pause(backOff.nextMs(), params.signal);
      if (params.signal.aborted) throw error;
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
