import { once } from 'node:events';
import { Name } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Sink } from '../../feed/sink.ts';
import { watchRun, watchTenant } from '../../operations/index.ts';
import { RUN_ERRORS } from '../operation-errors.ts';
import { type Route, route } from '../route.ts';

/** Takes the connection out of the hands of the server: from here on it carries events. */
function openSink(reply: FastifyReply): Sink {
  const headers = reply.getHeaders() as Record<string, string>;
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
    // The connection ends with the stream: one kept for another request would hold up a stop.
    connection: 'close',
  });
  raw.flushHeaders();
  raw.on('error', () => {});
  return {
    write: (text) => void raw.write(text),
    get isGone() {
      return raw.destroyed;
    },
    get bufferedBytes() {
      return raw.writableLength;
    },
    drained: async () => {
      if (!raw.writableNeedDrain || raw.destroyed) return;
      const gone = new AbortController();
      const { signal } = gone;
      await Promise.race([once(raw, 'drain', { signal }), once(raw, 'close', { signal })]);
      gone.abort();
    },
    // A client that does not read would keep the rest for ever: an end that is not taken is cut.
    close: () => {
      if (raw.writableLength > 0) setTimeout(() => raw.destroy(), 5_000).unref();
      raw.end();
    },
  };
}

function lastIdOf(headers: FastifyRequest['headers']): { lastEventId?: string } {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? { lastEventId: id } : {};
}

export const eventsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/events',
    role: 'viewer',
    streams: true,
    summary: "Streams the events of the tenant's runs, as server-sent events",
    query: Type.Object({ job: Type.Optional(Name) }, { additionalProperties: false }),
    reads: ['Last-Event-ID'],
    response: { 200: null },
    contentType: 'text/event-stream',
    handler: async ({ context, caller, query, headers, reply }) => {
      const sink = openSink(reply);
      const stream = await watchTenant(context, caller, { ...query, ...lastIdOf(headers), sink });
      closeWith(reply, stream);
    },
  }),
  route({
    method: 'GET',
    url: '/runs/:id/events',
    role: 'viewer',
    streams: true,
    summary: 'Streams the events and log lines of one run until it ends, as server-sent events',
    params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
    reads: ['Last-Event-ID'],
    response: { 200: null },
    contentType: 'text/event-stream',
    errors: RUN_ERRORS,
    handler: async ({ context, caller, params, headers, reply }) => {
      const sink = () => openSink(reply);
      const stream = await watchRun(context, caller, { ...params, ...lastIdOf(headers), sink });
      closeWith(reply, stream);
    },
  }),
];

function closeWith({ raw }: FastifyReply, stream: { close(): void }): void {
  if (raw.destroyed || raw.closed) stream.close();
  else raw.once('close', () => stream.close());
}
