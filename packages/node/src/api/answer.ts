import { PLATFORM } from '@signalbox/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '../auth/authenticator.ts';
import { ApiError, type Caller, type NodeContext } from '../context/index.ts';
import { NO_TRACING, type Tracing } from '../tracing/tracing.ts';
import { API_BASE } from './base.ts';
import { headerPicker } from './request-headers.ts';
import type { AuditNote, Route } from './route.ts';
import { type Check, checkOf, readQuery } from './validate.ts';

const EMPTY = new Uint8Array(0);
const NO_FIELDS: Check = async (body) => {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (isObject && Object.keys(body).length === 0) return;
  throw new ApiError('invalid', 'this request takes no body', { field: 'body' });
};

export interface AnswerParams {
  readonly route: Route;
  readonly context: NodeContext;
  readonly auth: Authenticator;
  readonly tracing?: Tracing;
}

/** Everything between a request that may come in and its answer: check, do, record. */
export function answerer(
  params: AnswerParams,
): (request: FastifyRequest, reply: FastifyReply, caller: Caller) => Promise<unknown> {
  const { route, context, auth, tracing = NO_TRACING } = params;
  const checkParams = route.params === undefined ? null : checkOf(route.params, 'params');
  const checkQuery = route.query === undefined ? null : checkOf(route.query, 'query');
  const checkBody = route.body === undefined ? NO_FIELDS : checkOf(route.body, 'body');

  const pickHeaders = headerPicker(route);

  return async (request, reply, caller) => {
    const { params: inPath } = request;
    if (checkParams !== null) await checkParams(inPath);
    const query = readQuery(request.query, route.query);
    if (checkQuery !== null) await checkQuery(query);
    const isBytes = route.bytes === true || request.body instanceof Uint8Array;
    const bytes = isBytes ? ((request.body as Uint8Array | undefined) ?? EMPTY) : EMPTY;
    // No body at all is the same as one without fields; `null` is neither.
    const given = request.body === undefined ? {} : request.body;
    const body = isBytes ? undefined : given;
    if (!isBytes) await checkBody(body);
    const note: AuditNote = {};
    const { headers, end } = traced(route, request, tracing);
    const answering = route.handler({
      context,
      auth,
      caller,
      params: inPath,
      query,
      body,
      bytes,
      headers: pickHeaders(headers),
      reply,
      note,
    });
    const answer = await answering.finally(end);
    if (route.audit !== undefined) {
      // What the platform does to one tenant is not for the admins of another to read.
      const log = route.platform === true ? { tenant: PLATFORM } : {};
      const noted = noteOf(note, request);
      await context.audit.record({ caller, action: route.audit, ...log, ...noted });
    }
    if (route.location !== undefined && reply.statusCode === 201) {
      reply.header('location', `${API_BASE}${route.location(answer as never)}`);
    }
    return answer;
  };
}

/** A submission is a span of its own, and the run carries on its trace. */
function traced(
  route: Route,
  { headers }: FastifyRequest,
  tracing: Tracing,
): { headers: FastifyRequest['headers']; end: () => void } {
  if (route.submits !== true || route.bytes === true) return { headers, end: () => {} };
  const { traceparent } = headers;
  const span = tracing.submit(typeof traceparent === 'string' ? traceparent : undefined);
  const end = (): void => span.end();
  if (span.trace === traceparent) return { headers, end };
  const { traceparent: _, ...others } = headers;
  const carried = span.trace === undefined ? others : { ...others, traceparent: span.trace };
  return { headers: carried, end };
}

/** What the handler left unsaid follows from the request. */
function noteOf(note: AuditNote, request: FastifyRequest): AuditNote & { target: string } {
  const target = Object.values(request.params as Record<string, string>).join('/');
  const stated = (request.body as { reason?: unknown } | null | undefined)?.reason;
  const header = request.headers['signalbox-reason'];
  const reason = typeof stated === 'string' ? stated : header;
  return {
    target,
    ...(typeof reason === 'string' ? { reason: clean(reason) } : {}),
    ...note,
  };
}

/** A header is bytes: what the store could not keep as text is replaced, not refused after the deed. */
function clean(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed().slice(0, 1_024);
}
