import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BlobStore } from './blob-store.ts';
import { DirectoryBlobs } from './directory-blobs.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { S3Blobs } from './s3-blobs.ts';

const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251);
const sha256 = createHash('sha256').update(bytes).digest('hex');
let folder: string;
let bucket: FakeBucket;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-blobs-'));
  bucket = await FakeBucket.start();
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await bucket.stop();
});

const DAY = 86_400_000;
const clock = { now: 20_000 * DAY };
const now = () => clock.now;
const name = `${sha256}-20000`;

const kinds: readonly (readonly [string, () => BlobStore])[] = [
  ['a directory', () => new DirectoryBlobs(folder, now)],
  ['memory', () => new MemoryBlobs(now)],
  ['S3', () => new S3Blobs(bucket.settings, now)],
];

describe.each(kinds)('blobs in %s', (_name, open) => {
  it('come back as they were put, under their digest', async () => {
    const blobs = open();
    expect(await blobs.put('acme', bytes)).toEqual({ name, bytes: bytes.length, sha256 });
    expect(Buffer.from((await blobs.get('acme', name)) as Uint8Array).equals(bytes)).toBe(true);
    expect(await blobs.put('acme', new Uint8Array())).toMatchObject({ bytes: 0 });
  });

  it('are put twice without harm, also at once', async () => {
    const blobs = open();
    const put = await Promise.all(Array.from({ length: 5 }, () => blobs.put('acme', bytes)));
    expect(new Set(put.map((ref) => ref.name))).toEqual(new Set([name]));
    expect((await blobs.get('acme', name))?.length).toBe(bytes.length);
  });

  it('SEC-02 of another tenant are absent', async () => {
    const blobs = open();
    await blobs.put('acme', bytes);
    expect(await blobs.get('other', name)).toBeNull();
    expect(await blobs.get('ACME', name)).toBeNull();
  });

  it('are collected by the day on which they were put, of every tenant', async () => {
    const blobs = open();
    await blobs.collect(30_000 * DAY);
    const day = (at: number) => {
      clock.now = at * DAY + 5;
    };
    day(30_000);
    const old = await blobs.put('acme', bytes);
    const foreign = await blobs.put('other', bytes);
    day(30_001);
    const again = await blobs.put('acme', bytes);
    expect(again.name).not.toBe(old.name);
    clock.now = 20_000 * DAY;
    expect(await blobs.collect(30_001 * DAY - 1)).toBe(0);
    expect(await blobs.collect(30_001 * DAY)).toBe(2);
    expect(await blobs.get('acme', old.name)).toBeNull();
    expect(await blobs.get('other', foreign.name)).toBeNull();
    expect((await blobs.get('acme', again.name))?.length).toBe(bytes.length);
    expect(await blobs.collect(30_001 * DAY)).toBe(0);
  });

  it.each(['', '..', '../../etc/passwd', 'a/b', 'absent', 'F'.repeat(64)])(
    'h35 named %j are absent',
    async (name) => {
      expect(await open().get('acme', name)).toBeNull();
    },
  );
});

it('are kept where the clock of the disk or the bucket calls them young', async () => {
  for (const open of [
    () => new DirectoryBlobs(folder, now),
    () => new S3Blobs(bucket.settings, now),
  ]) {
    clock.now = 10_000 * DAY;
    const { name } = await open().put('acme', bytes);
    clock.now = 20_000 * DAY;
    expect(await open().collect(10_005 * DAY)).toBe(0);
    expect(await open().get('acme', name)).not.toBeNull();
  }
});

it('leaves no half-written file behind', async () => {
  await new DirectoryBlobs(folder).put('acme', bytes);
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = files.filter((file) => file.isFile()).map((file) => file.name);
  expect(names.every((name) => /^[0-9a-f]{64}-\d+$/.test(name))).toBe(true);
});

it('says that S3 is away without saying where it is', async () => {
  const blobs = new S3Blobs({ ...bucket.settings, url: 'http://127.0.0.1:1/bucket' });
  const error = await blobs.get('acme', name).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'unavailable' });
  expect(String(error)).not.toContain('127.0.0.1');
});

/** As much of S3 as is used: signed PUT, GET and DELETE of objects, and lists in pages of two. */
class FakeBucket {
  readonly #server: Server;
  readonly #objects = new Map<string, Buffer>();

  private constructor() {
    this.#server = createServer((request, response) => {
      const path = request.url as string;
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const signed = request.headers.authorization?.startsWith('AWS4-HMAC-SHA256') === true;
        const found = this.#objects.get(path);
        if (!signed) response.writeHead(403).end();
        else if (path.includes('?')) response.writeHead(200).end(this.#list(path));
        else if (request.method === 'DELETE') {
          this.#objects.delete(path);
          response.writeHead(204).end();
        } else if (request.method === 'PUT') {
          this.#objects.set(path, Buffer.concat(parts));
          response.writeHead(200).end();
        } else if (found === undefined) response.writeHead(404).end('<Error/>');
        else response.writeHead(200).end(found);
      });
    });
  }

  #list(path: string): string {
    const query = new URL(path, 'http://bucket').searchParams;
    const prefix = query.get('prefix') ?? '';
    const keys = [...this.#objects.keys()].map((key) => key.slice('/bucket/'.length));
    const found = keys.filter((key) => key.startsWith(prefix)).sort();
    const cut = (key: string) => key.slice(0, key.indexOf('/', prefix.length) + 1);
    const folders = query.get('delimiter') === '/' ? [...new Set(found.map(cut))] : [];
    const rows = folders.length > 0 ? folders : found;
    const after = query.get('continuation-token') ?? '';
    const page = rows.filter((row) => row > after).slice(0, 2);
    const next = page.at(-1);
    const more = next !== undefined && next !== rows.at(-1);
    const texts = page.map((row) =>
      folders.length > 0
        ? `<CommonPrefixes><Prefix>${row}</Prefix></CommonPrefixes>`
        : `<Contents><Key>${row}</Key><LastModified>${new Date().toISOString()}</LastModified></Contents>`,
    );
    const token = more ? `<NextContinuationToken>${next}</NextContinuationToken>` : '';
    return `<ListBucketResult>${texts.join('')}${token}</ListBucketResult>`;
  }

  static async start(): Promise<FakeBucket> {
    const bucket = new FakeBucket();
    await new Promise<void>((resolve) => bucket.#server.listen(0, '127.0.0.1', resolve));
    return bucket;
  }

  get settings() {
    const { port } = this.#server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/bucket`;
    return { url, region: 'eu-central-1', accessKeyId: 'id', secretAccessKey: 'secret' };
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
