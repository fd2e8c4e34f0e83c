import type { IncomingMessage } from 'node:http';

export interface OutgoingRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * One request and its whole response. Not `fetch`, which costs a short command 25 MB and a tenth of a second.
 * Redirects are not followed, because the key would be sent to another server.
 */
export async function sendRequest(url: URL, outgoing: OutgoingRequest): Promise<Answer> {
  const { body, method } = outgoing;
  const headers = {
    ...outgoing.headers,
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  };
  const { request } = await loadHttp(url);
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('error', reject);
      answer.once('end', () => {
        resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) });
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Loaded on demand: it takes longer than everything that `--help` needs. */
function loadHttp({ protocol }: URL) {
  return protocol === 'https:' ? import('node:https') : import('node:http');
}

/** A streamed response: its bytes as they arrive. */
export async function* streamAnswer(
  url: URL,
  { headers, signal }: { headers: Readonly<Record<string, string>>; signal: AbortSignal },
): AsyncGenerator<Buffer> {
  const { request } = await loadHttp(url);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method: 'GET', headers, signal }, resolve);
    sent.once('error', reject);
    sent.end();
  });
  yield* answer as AsyncIterable<Buffer>;
}
