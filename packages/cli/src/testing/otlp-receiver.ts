import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** A span as OTLP writes it in JSON. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code?: number; readonly message?: string };
  readonly attributes: Readonly<Record<string, unknown>>;
  /** `service.name` of whoever sent it. */
  readonly service: unknown;
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource?: { readonly attributes?: readonly KeyValue[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<OtlpSpan, 'attributes' | 'service'> & {
        readonly attributes?: readonly KeyValue[];
      })[];
    }[];
  }[];
}

/** A collector of traces over OTLP/HTTP with JSON: keeps every span that is sent to it. */
export class OtlpReceiver {
  readonly spans: OtlpSpan[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const isTraces = request.method === 'POST' && request.url === '/v1/traces';
      if (!isTraces) {
        response.writeHead(404).end();
        return;
      }
      this.headers.push(request.headers);
      const body = Buffer.concat(chunks);
      const isZipped = request.headers['content-encoding'] === 'gzip';
      this.#take(JSON.parse(String(isZipped ? gunzipSync(body) : body)) as Export);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #take({ resourceSpans }: Export): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = valuesOf(resource?.attributes)['service.name'];
      for (const { spans } of scopeSpans) {
        for (const span of spans) {
          this.spans.push({ ...span, attributes: valuesOf(span.attributes), service });
        }
      }
    }
  }
}

/** OTLP wraps each value in an object that names its type. */
function valuesOf(attributes: readonly KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
