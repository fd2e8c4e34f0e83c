import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BlobStore } from '../context.ts';
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

const kinds: readonly (readonly [string, () => BlobStore])[] = [
  ['a directory', () => new DirectoryBlobs(folder)],
  ['memory', () => new MemoryBlobs()],
  ['S3', () => new S3Blobs(bucket.settings)],
];

describe.each(kinds)('blobs in %s', (_name, open) => {
  it('come back as they were put, under their digest', async () => {
    const blobs = open();
    expect(await blobs.put('acme', bytes)).toEqual({ name: sha256, bytes: bytes.length, sha256 });
    expect(Buffer.from((await blobs.get('acme', sha256)) as Uint8Array).equals(bytes)).toBe(true);
    expect(await blobs.put('acme', new Uint8Array())).toMatchObject({ bytes: 0 });
  });

  it('are put twice without harm, also at once', async () => {
    const blobs = open();
    const put = await Promise.all(Array.from({ length: 5 }, () => blobs.put('acme', bytes)));
    expect(new Set(put.map((ref) => ref.name))).toEqual(new Set([sha256]));
    expect((await blobs.get('acme', sha256))?.length).toBe(bytes.length);
  });

  it('SEC-02 of another tenant are absent', async () => {
    const blobs = open();
    await blobs.put('acme', bytes);
    expect(await blobs.get('other', sha256)).toBeNull();
    expect(await blobs.get('ACME', sha256)).toBeNull();
  });

  it.each(['', '..', '../../etc/passwd', 'a/b', 'absent', 'F'.repeat(64)])(
    'h35 named %j are absent',
    async (name) => {
      expect(await open().get('acme', name)).toBeNull();
    },
  );
});

it('leaves no half-written file behind', async () => {
  await new DirectoryBlobs(folder).put('acme', bytes);
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = files.filter((file) => file.isFile()).map((file) => file.name);
  expect(names.every((name) => /^[0-9a-f]{64}$/.test(name))).toBe(true);
});

it('says that S3 is away without saying where it is', async () => {
  const blobs = new S3Blobs({ ...bucket.settings, url: 'http://127.0.0.1:1/bucket' });
  const error = await blobs.get('acme', sha256).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'unavailable' });
  expect(String(error)).not.toContain('127.0.0.1');
});

/** As much of S3 as is used: signed PUT and GET of objects. */
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
        else if (request.method === 'PUT') {
          this.#objects.set(path, Buffer.concat(parts));
          response.writeHead(200).end();
        } else if (found === undefined) response.writeHead(404).end('<Error/>');
        else response.writeHead(200).end(found);
      });
    });
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
