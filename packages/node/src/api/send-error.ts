import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ERROR_STATUS } from '@signalbox/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import type { Logger } from '../settings/log-events.ts';
import type { ClientAddress } from './client-address.ts';
import { answerOf, errorText, MESSAGES } from './error-answer.ts';
import { HEADERS } from './headers.ts';

/** Answers a request with what went wrong. What nobody foresaw goes to the log, and only there. */
export function errorSender(
  log: Logger,
  addressOf: ClientAddress,
): (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  return (thrown, request, reply) => {
    // The client closed the connection while the node read its request: nobody receives the response.
    const isAborted = thrown instanceof Error && thrown === request.raw.errored;
    if (isAborted) {
      const fields = { requestId: request.id, route: request.routeOptions?.url };
      log.debug({ event: 'request.aborted', ...fields }, 'request aborted by the client');
    }
    const error = isAborted ? new ApiError('bad_request', MESSAGES.bad_request) : thrown;
    const { status, body, retryAfterSeconds, unforeseen } = answerOf(error, request.id);
    if (unforeseen) {
      const route = request.routeOptions?.url;
      const fields = { err: thrown, requestId: request.id, route };
      log.error({ event: 'request.failed', ...fields }, 'request failed');
    }
    const { code } = body.error;
    if (status === 401 || status === 403 || code === 'rate_limited') {
      const { id: requestId, routeOptions, raw } = request;
      const fields = { requestId, route: routeOptions?.url, ip: addressOf(raw), code };
      log.info({ event: 'request.refused', ...fields }, 'request refused');
    }
    reply.headers({ ...HEADERS, 'x-request-id': request.id });
    if (status === 401) reply.header('www-authenticate', 'Bearer realm="signalbox"');
    if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
    return reply.code(status).type('application/json; charset=utf-8').send(body);
  };
}

/** What is not even HTTP, or came too slowly: answered by hand, and the connection is over. */
export function refuseBytes(error: Error & { code?: string }, socket: Socket, id: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const large = error.code === 'HPE_HEADER_OVERFLOW';
  const code = late ? 'timeout' : large ? 'headers_too_large' : 'bad_request';
  const status = ERROR_STATUS[code];
  const body = errorText(code, MESSAGES[code], id);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}
