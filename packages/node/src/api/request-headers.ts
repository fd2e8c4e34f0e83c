import type { IncomingHttpHeaders } from 'node:http';
import { NAME_PATTERN, Submission } from '@signalbox/protocol';
import type { Route } from './route.ts';

interface HeaderParameter {
  readonly description: string;
  readonly schema: object;
}

const text = { type: 'string' } as const;

/** Request headers that some operation reads, as the API document describes them. */
const REQUEST_HEADERS = {
  'Idempotency-Key': {
    description:
      'Makes the request safe to repeat: the same key and the same content return the same result. ' +
      'The key of a submission must equal `idempotencyKey` in the body if both are sent.',
    schema: Submission.properties.idempotencyKey,
  },
  'If-Match': {
    description:
      'The `ETag` of the version to change, such as `"3"`, or `*` for any existing version. ' +
      'Refused with `precondition_failed` if the current version differs. Not together with `If-None-Match`.',
    schema: { type: 'string', pattern: '^(\\*|"[0-9]{1,15}")$' },
  },
  'If-None-Match': {
    description:
      'Creates only: refused with `precondition_failed` if the resource exists. Not together with `If-Match`.',
    schema: { type: 'string', enum: ['*'] },
  },
  'Last-Event-ID': {
    description:
      'The id of the last event received, from which an interrupted stream is resumed. An id that is ' +
      'unknown or too old starts the stream again with a `reset` event.',
    schema: text,
  },
  'Signalbox-Tenant': {
    description:
      'The tenant to act on. Only platform keys can choose one; the default is `default`. ' +
      'With any other key it must be the tenant of the key, otherwise the response is `forbidden`.',
    schema: { type: 'string', pattern: NAME_PATTERN },
  },
  'Signalbox-Reason': {
    description:
      'Why the change is made, for the audit log; at most 1,024 characters are kept. `reason` in the body overrides it.',
    schema: text,
  },
  traceparent: {
    description: 'W3C trace context that the runs continue. An invalid value is ignored.',
    schema: text,
  },
  'ce-specversion': {
    description:
      'With the attributes of a CloudEvent in `ce-` headers, the body is its data: `1.0`.',
    schema: text,
  },
  'ce-id': { description: 'The attribute `id` of the event.', schema: text },
  'ce-source': { description: 'The attribute `source` of the event.', schema: text },
  'ce-type': { description: 'The attribute `type` of the event.', schema: text },
  'X-Hub-Signature-256': { description: 'The signature of the style `github`.', schema: text },
  'X-GitHub-Delivery': { description: 'The event id of the style `github`.', schema: text },
  'X-GitHub-Event': { description: 'The event type of the style `github`.', schema: text },
  'Stripe-Signature': { description: 'The signature of the style `stripe`.', schema: text },
  'webhook-id': { description: 'The event id of the style `standard`.', schema: text },
  'webhook-timestamp': {
    description: 'When a delivery of the style `standard` was signed, in Unix seconds.',
    schema: text,
  },
  'webhook-signature': { description: 'The signature of the style `standard`.', schema: text },
} as const satisfies Record<string, HeaderParameter>;

export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** Names the version that a change expects: see `etag.ts`. */
export const VERSION_HEADERS = ['If-Match', 'If-None-Match'] as const;

/** The headers of the gate, of the audit log and of tracing follow from the declaration. */
function headerNames(route: Route): readonly RequestHeader[] {
  const hasKey = route.role !== 'none' && route.role !== 'signed';
  return [
    ...(hasKey ? (['Signalbox-Tenant'] as const) : []),
    ...(route.audit === undefined ? [] : (['Signalbox-Reason'] as const)),
    ...(route.submits === true && route.bytes !== true ? (['traceparent'] as const) : []),
    ...(route.reads ?? []),
  ];
}

export function headerParametersOf(route: Route): unknown[] {
  return headerNames(route).map((name) => {
    const { description, schema } = REQUEST_HEADERS[name];
    const isEvery = name === 'Signalbox-Tenant' && route.everyTenant === true;
    return {
      name,
      in: 'header',
      required: false,
      description: isEvery ? `${description} \`*\` stands for the platform.` : description,
      schema: isEvery ? { anyOf: [schema, { type: 'string', enum: ['*'] }] } : schema,
    };
  });
}

/**
 * Returns only declared headers, so that no handler can depend on a header that the API document does not
 * name. Bytes are described by headers of any name, such as extension attributes of CloudEvents.
 */
export function headerPicker(route: Route): (headers: IncomingHttpHeaders) => IncomingHttpHeaders {
  if (route.bytes === true) return (headers) => headers;
  const names = headerNames(route).map((name) => name.toLowerCase());
  return (headers) => {
    const picked: IncomingHttpHeaders = {};
    for (const name of names) {
      const value = headers[name];
      if (value !== undefined) picked[name] = value;
    }
    return picked;
  };
}
