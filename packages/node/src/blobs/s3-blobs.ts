import { createHash } from 'node:crypto';
import type { BlobRef } from '@signalbox/protocol';
import { AwsClient } from 'aws4fetch';
import { ApiError } from '../errors/api-error.ts';
import { blobName, dayFolderOf, folderOf, isBlobName, isFolderBefore } from './blob-name.ts';
import type { BlobStore } from './blob-store.ts';
import { readS3Page, type S3Page } from './s3-list.ts';

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
  readonly #now: () => number;

  constructor(settings: S3Settings, now: () => number = Date.now) {
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
    this.#now = now;
  }

  async put(tenant: string, bytes: Uint8Array): Promise<BlobRef> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const name = blobName(sha256, this.#now());
    const answer = await this.#ask(pathOf(tenant, name), { method: 'PUT', body: bytes.slice() });
    if (!answer.ok) throw away();
    return { name, bytes: bytes.length, sha256 };
  }

  async get(tenant: string, name: string): Promise<Uint8Array | null> {
    if (!isBlobName(name)) return null;
    const answer = await this.#ask(pathOf(tenant, name), { method: 'GET' });
    if (answer.status === 404) return null;
    if (!answer.ok) throw away();
    return new Uint8Array(await answer.arrayBuffer());
  }

  async collect(beforeMs: number): Promise<number> {
    let collected = 0;
    for await (const tenant of this.#folders('')) {
      for await (const folder of this.#folders(tenant)) {
        if (!isFolderBefore(folder.slice(tenant.length).replace(/\/$/, ''), beforeMs)) continue;
        collected += await this.#empty(folder, beforeMs);
      }
    }
    return collected;
  }

  /** Removes the objects of a day that the bucket, too, calls old. */
  async #empty(folder: string, beforeMs: number): Promise<number> {
    let removed = 0;
    for await (const { objects } of this.#pages({ prefix: folder })) {
      for (const { key, modifiedMs } of objects) {
        // Also where the time cannot be read: what is in doubt stays.
        if (!(modifiedMs < beforeMs)) continue;
        const answer = await this.#ask(`/${key}`, { method: 'DELETE' });
        if (!answer.ok && answer.status !== 404) throw away();
        removed++;
      }
    }
    return removed;
  }

  async *#folders(prefix: string): AsyncGenerator<string> {
    for await (const { folders } of this.#pages({ prefix, delimiter: '/' })) yield* folders;
  }

  async *#pages(query: Record<string, string>): AsyncGenerator<S3Page> {
    for (let next: string | null = ''; next !== null; ) {
      const more: Record<string, string> = next === '' ? {} : { 'continuation-token': next };
      const asked = new URLSearchParams({ 'list-type': '2', ...query, ...more });
      const answer = await this.#ask(`?${asked}`, { method: 'GET' });
      if (!answer.ok) throw away();
      const page = readS3Page(await answer.text());
      yield page;
      next = page.next;
    }
  }

  async #ask(
    path: string,
    init: { method: string; body?: Uint8Array<ArrayBuffer> },
  ): Promise<Response> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      return await this.#client.fetch(`${this.#url}${path}`, { ...init, signal });
    } catch {
      // The error of a failed fetch names the host: it is not for callers.
      throw away();
    }
  }
}

function pathOf(tenant: string, name: string): string {
  return `/${folderOf(tenant)}/${dayFolderOf(name)}/${name}`;
}

function away(): ApiError {
  return new ApiError('unavailable', 'the blob store is unavailable; retry', {
    retryAfterSeconds: 1,
  });
}
