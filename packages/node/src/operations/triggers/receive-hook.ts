import crypto from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ReceivedEvent } from '@signalbox/protocol';
import type { Json } from '../../cel/to-json.ts';
import { ApiError, type NodeContext } from '../../context/index.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { CompiledTrigger } from '../../triggers/compile-trigger.ts';
import { checkEvent, type Event } from '../../triggers/event.ts';
import { ID_HEADERS, isSigned, TOLERANCE_MS } from '../../triggers/signatures.ts';
import { operation } from '../common/operation.ts';
import { fireAll } from './receive-events.ts';
import { hookSubject } from './trigger-definition.ts';

export interface HookRequest {
  readonly tenant: string;
  readonly name: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** Signed with where there is nothing to sign with, so that both ways cost the same. */
const NOBODY = { style: 'github', secret: 'whsec_nobody has this secret' } as const;

/**
 * Accepts a signed delivery. Only the signature authenticates it: a missing or paused trigger and a wrong or old
 * signature have the same response, so that names of triggers cannot be probed.
 */
export const receiveHook = operation(
  async (context, _caller, request: HookRequest): Promise<ReceivedEvent> => {
    const trigger = signedTrigger(context, request);
    if (trigger === null) {
      context.triggers.count('rejected', 1);
      throw new ApiError(
        'unauthenticated',
        'the signature is invalid or too old, or the trigger does not exist or is disabled',
      );
    }
    const event = eventOf(trigger, request);
    const [received] = await fireAll(context, request.tenant, {
      events: [event],
      triggersOf: () => [trigger],
      ...identityOf(trigger, request.body),
    });
    return received as ReceivedEvent;
  },
);

function signedTrigger(context: NodeContext, request: HookRequest): CompiledTrigger | null {
  const { watch, secrets } = context.triggers;
  const trigger = watch.index.get(request.tenant, request.name);
  const hook = trigger === null || trigger.paused ? null : trigger.hook;
  const subject = hookSubject(request.tenant, request.name);
  const secret = secrets?.open(hook?.sealed ?? secrets.decoy, subject) ?? null;
  const signed = isSigned({
    style: hook?.style ?? NOBODY.style,
    secret: secret ?? NOBODY.secret,
    headers: request.headers,
    body: request.body,
    nowMs: context.loop.time.now(),
    toleranceMs: hook?.toleranceMs ?? TOLERANCE_MS,
  });
  return signed && secret !== null ? trigger : null;
}

/**
 * A sender of the style `github` signs only its body. If an unsigned header identified the delivery, a recorded request
 * could be sent again under any number of ids, and start a run each time.
 */
function identityOf({ hook }: CompiledTrigger, body: Uint8Array): { identity?: string } {
  if (hook?.style !== 'github' || hook.idHeader !== undefined) return {};
  return { identity: crypto.hash('sha256', body, 'base64url') };
}

/** What was sent, as an event. Its id is the sender's, so that a delivery that is repeated is known. */
function eventOf({ name, hook }: CompiledTrigger, { headers, body }: HookRequest): Event {
  const style = hook?.style ?? NOBODY.style;
  const data = body.length === 0 ? null : dataOf(body);
  const bytes = data === null ? { data_base64: Buffer.from(body).toString('base64') } : { data };
  const header = hook?.idHeader?.toLowerCase() ?? ID_HEADERS[style];
  const event = {
    specversion: '1.0',
    id: idOf(headers, header, data) ?? crypto.hash('sha256', body, 'base64url'),
    source: `/hooks/${name}`,
    type: typeOf(headers, data),
    ...(body.length === 0 ? {} : bytes),
  };
  const checked = checkEvent(event);
  if (checked.kind === 'event') return checked.event;
  const { field, message } = checked.refusal;
  throw new ApiError('invalid', message, { field });
}

/** Most senders send JSON, some under another name; what is not JSON is text, or null for bytes. */
function dataOf(body: Uint8Array): Json {
  const first = body.find((byte) => byte > 0x20);
  if (first === 0x7b || first === 0x5b) return parseJson(body) as Json;
  const text = Buffer.from(body).toString('utf8');
  const isText = Buffer.from(text).equals(body) && !text.includes('\0');
  return isText ? text : null;
}

function idOf(headers: IncomingHttpHeaders, header: string | null, data: Json): string | null {
  if (header === null) return textIn(data, 'id');
  const value = headers[header];
  return typeof value === 'string' && value !== '' ? value : null;
}

function typeOf(headers: IncomingHttpHeaders, data: Json): string {
  const github = headers['x-github-event'];
  if (typeof github === 'string' && github !== '') return github;
  return textIn(data, 'type') ?? 'webhook';
}

function textIn(data: Json, field: string): string | null {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null;
  const value = (data as Record<string, Json>)[field];
  return typeof value === 'string' && value !== '' && value.length <= 256 ? value : null;
}
