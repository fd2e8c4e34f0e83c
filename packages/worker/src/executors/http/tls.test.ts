import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../executor.ts';
import { fakeAttempt } from '../testing/fake-attempt.ts';
import { httpExecutor } from './http-executor.ts';

const why = opensslMissing();
describe.skipIf(why !== null)(`https${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let folder: string;
  let cert: string;
  let server: Server;
  let requests = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'signalbox-tls-'));
    const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    execFileSync(
      'openssl',
      `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=good.example -addext subjectAltName=DNS:good.example,IP:127.0.0.1 -keyout ${keyFile} -out ${certFile}`.split(
        ' ',
      ),
      { stdio: 'ignore' },
    );
    cert = readFileSync(certFile, 'utf8');
    server = createServer({ key: readFileSync(keyFile), cert }, (request, response) => {
      requests++;
      if (request.url === '/down') response.writeHead(302, { Location: 'http://good.example/' });
      response.end('secure');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  function run(target: { host: string; path?: string; ca?: string }): Promise<Result> {
    const { port } = server.address() as AddressInfo;
    const url = `https://${target.host}:${port}${target.path ?? '/'}`;
    return httpExecutor({
      allowPrivate: true,
      allowHttp: true,
      ports: 'any',
      resolve: async () => ['127.0.0.1'],
      ...(target.ca === undefined ? {} : { ca: target.ca }),
    }).run(fakeAttempt({ work: { http: { url, redirectsMax: 3 } } }));
  }

  it('HTP-01 reaches a name and an address over TLS', async () => {
    for (const host of ['good.example', '127.0.0.1']) {
      const result = await run({ host, ca: cert });
      expect(JSON.parse(String(Buffer.from(result.output ?? [])))).toMatchObject({
        body: 'secure',
      });
    }
  });

  it('sends nothing to a certificate that it does not trust, or of another name', async () => {
    const before = requests;
    const failure = { kind: 'failed', error: 'connect_failed', class: 'transient', output: null };
    expect(await run({ host: 'good.example' })).toEqual(failure);
    expect(await run({ host: 'other.example', ca: cert })).toEqual(failure);
    expect(requests).toBe(before);
  });

  it('h51 does not follow a redirect from https to http', async () => {
    expect(await run({ host: 'good.example', path: '/down', ca: cert })).toMatchObject({
      error: 'target_not_allowed: a redirect from https to http is not allowed',
      class: 'permanent',
    });
  });
});

function opensslMissing(): string | null {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'openssl is not installed';
  }
}
