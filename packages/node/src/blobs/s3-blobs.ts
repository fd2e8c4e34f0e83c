import { createHash } from 'node:crypto';
import type { BlobRef } from '@signalbox/protocol';
import { AwsClient } from 'aws4fetch';
import { ApiError, type BlobStore } from '../context.ts';
import { folderOf, isBlobName } from './blob-name.ts';

export interface S3Settings {
  /** `https://s3.eu-central-1.amazonaws.com/bucket`, or any server that speaks the same. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;

/** Blobs in a bucket, named as in a directory. */
export class S3Blobs implements BlobStore {
  readonly #client: AwsClient;
  readonly #url: string;
  readonly #timeoutMs: number;

  constructor(settings: S3Settings) {
    const { accessKeyId, secretAccessKey, region } = settings;
    this.#client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
      retries: 3,
    });
    this.#url = settings.url.replace(/\/+$/, '');
    this.#timeoutMs = settings.timeoutMs ?? TIMEOUT_MS;
  }

  async put(tenant: string, bytes: Uint8Array): Promise<BlobRef> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const answer = await this.#ask(tenant, sha256, { method: 'PUT', body: bytes.slice() });
    if (!answer.ok) throw away();
    return { name: sha256, bytes: bytes.length, sha256 };
  }

  async get(tenant: string, name: string): Promise<Uint8Array | null> {
    if (!isBlobName(name)) return null;
    const answer = await this.#ask(tenant, name, { method: 'GET' });
    if (answer.status === 404) return null;
    if (!answer.ok) throw away();
    return new Uint8Array(await answer.arrayBuffer());
  }

  async #ask(
    tenant: string,
    name: string,
    init: { method: string; body?: Uint8Array<ArrayBuffer> },
  ): Promise<Response> {
    const url = `${this.#url}/${folderOf(tenant)}/${name.slice(0, 2)}/${name}`;
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      return await this.#client.fetch(url, { ...init, signal });
    } catch {
      // The error of a failed fetch names the host: it is not for callers.
      throw away();
    }
  }
}

function away(): ApiError {
  return new ApiError('unavailable', 'the blob store cannot be reached', { retryAfterSeconds: 1 });
}
