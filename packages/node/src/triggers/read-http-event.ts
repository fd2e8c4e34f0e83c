import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from '../cel/to-json.ts';
import { ApiError } from '../errors/api-error.ts';
import { parseJson } from '../json/parse-json.ts';
import { checkEvent, type Event } from './event.ts';

export const EVENTS_MAX = 500;
const STRUCTURED = 'application/cloudevents+json';
const BATCH = 'application/cloudevents-batch+json';
/** Any other type is the data of one event whose attributes are headers. */
export const EVENT_TYPES: readonly string[] = [STRUCTURED, BATCH, 'application/json'];
const HEADER = 'ce-';
const HEADERS_MAX = 64;

/** The events of a request, in any of the three ways in which CloudEvents are sent over HTTP. */
export function readHttpEvents(headers: IncomingHttpHeaders, body: Uint8Array): Event[] {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === BATCH) return batchOf(parse(body));
  if (type === STRUCTURED) return [eventOf(parse(body), '')];
  if (headers['ce-specversion'] !== undefined) return [binaryEvent(headers, body, type)];
  throw new ApiError(
    'unsupported_media_type',
    `send ${STRUCTURED}, ${BATCH}, or the attributes as headers ce-specversion, ce-id, …`,
  );
}

function parse(body: Uint8Array): unknown {
  if (body.length === 0) throw new ApiError('bad_request', 'the body is empty');
  return parseJson(body);
}

function batchOf(value: unknown): Event[] {
  if (!Array.isArray(value))
    throw new ApiError('invalid', 'a batch must be a list of events', { field: 'body' });
  if (value.length > EVENTS_MAX) {
    throw new ApiError('too_large', `the batch exceeds ${EVENTS_MAX} events`, { field: 'body' });
  }
  // One that is no event and nothing of the batch is taken: it can be mended and sent again.
  return value.map((each, index) => eventOf(each, `[${index}].`));
}

function eventOf(value: unknown, at: string): Event {
  const checked = checkEvent(value);
  if (checked.kind === 'event') return checked.event;
  const { field, message } = checked.refusal;
  throw new ApiError('invalid', message, { field: `${at}${field}` });
}

/** The attributes are headers and the body is the data. */
function binaryEvent(headers: IncomingHttpHeaders, body: Uint8Array, type: string): Event {
  const attributes: Record<string, Json> = {};
  const named = Object.entries(headers).filter(([name]) => name.startsWith(HEADER));
  if (named.length > HEADERS_MAX) {
    throw new ApiError('invalid', `the event exceeds ${HEADERS_MAX} attributes`);
  }
  for (const [name, value] of named) {
    if (typeof value !== 'string') {
      throw new ApiError('invalid', 'the header is sent more than once', { field: name });
    }
    attributes[name.slice(HEADER.length)] = decodeHeader(value, name);
  }
  if (['data', 'data_base64', 'datacontenttype'].some((name) => name in attributes)) {
    throw new ApiError(
      'invalid',
      'data and datacontenttype come from the body and Content-Type; do not send them as ce- headers',
      { field: 'ce-data' },
    );
  }
  const data = body.length === 0 ? {} : dataOf(body, type);
  const event = { ...attributes, ...(type === '' ? {} : { datacontenttype: type }), ...data };
  const checked = checkEvent(event);
  if (checked.kind === 'event') return checked.event;
  const { field, message } = checked.refusal;
  throw new ApiError('invalid', message, {
    field: field in attributes || isText(field) ? `ce-${field}` : field,
  });
}

function isText(field: string): boolean {
  return field === 'id' || field === 'source' || field === 'type' || field === 'specversion';
}

/** Values of headers are percent-encoded UTF-8. */
function decodeHeader(value: string, field: string): string {
  try {
    return decodeURIComponent(value.replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25'));
  } catch {
    throw new ApiError('invalid', 'is not valid percent-encoded UTF-8', { field });
  }
}

function dataOf(body: Uint8Array, type: string): { data?: Json; data_base64?: string } {
  if (type === '' || type === 'application/json' || type.endsWith('+json')) {
    return { data: parseJson(body) as Json };
  }
  if (!type.startsWith('text/')) return { data_base64: Buffer.from(body).toString('base64') };
  try {
    const data = new TextDecoder('utf-8', { fatal: true }).decode(body);
    if (data.includes('\0'))
      throw new ApiError('invalid', 'contains a NUL character', { field: 'data' });
    return { data };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError('bad_request', 'the body is not valid UTF-8 text');
  }
}
