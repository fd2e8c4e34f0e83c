import { checkHeaders, type WireHttpWork } from '@signalbox/protocol/link';
import type { AttemptContext } from '../../executor.ts';
import { HttpFailure } from './http-failure.ts';

/** One request of an attempt: the first, or what a redirect asks for. */
export interface Hop {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

const INPUT_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
// Credentials hide under any name, so another origin gets only what describes the message.
const KEPT_ACROSS_ORIGINS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-type',
  'user-agent',
  'idempotency-key',
  'traceparent',
  'signalbox-attempt-id',
  'signalbox-run-id',
  'signalbox-window-schedule',
  'signalbox-window-at',
  'signalbox-window-kind',
]);

/** As configured, and with the ids by which the endpoint knows a repeat. */
export function firstHop(work: WireHttpWork, attempt: AttemptContext): Hop {
  const configured = work.headers ?? {};
  const bad = checkHeaders(configured);
  if (bad !== null) throw new HttpFailure('invalid', `${bad.field}: ${bad.message}`);
  const { assign } = attempt;
  const method = work.method ?? (work.body === undefined ? 'GET' : 'POST');
  const headers: Record<string, string> = { ...configured };
  const names = new Set(Object.keys(configured).map((name) => name.toLowerCase()));
  if (!names.has('user-agent')) headers['User-Agent'] = 'signalbox';
  if (!names.has('idempotency-key')) headers['Idempotency-Key'] = headerText(assign.idempotencyKey);
  if (assign.trace !== undefined && !names.has('traceparent')) {
    headers['traceparent'] = headerText(assign.trace);
  }
  headers['Signalbox-Attempt-Id'] = headerText(assign.id);
  headers['Signalbox-Run-Id'] = headerText(assign.run);
  const { window } = assign;
  if (window !== undefined) {
    headers['Signalbox-Window-Schedule'] = headerText(window.schedule);
    headers['Signalbox-Window-At'] = new Date(window.at).toISOString();
    headers['Signalbox-Window-Kind'] = window.kind;
  }
  return { url: work.url, method, headers, body: bodyOf(work, method, attempt.input) };
}

/** What a redirect leads to, or null where the answer is none. */
export function nextHop(
  hop: Hop,
  answer: { readonly status: number; readonly location: string | undefined },
): Hop | null {
  if (!REDIRECTS.has(answer.status) || answer.location === undefined) return null;
  const from = new URL(hop.url);
  if (!URL.canParse(answer.location, hop.url)) {
    throw new HttpFailure('target_not_allowed', 'the target is not allowed');
  }
  const to = new URL(answer.location, from);
  if (from.protocol === 'https:' && to.protocol !== 'https:') {
    throw new HttpFailure('target_not_allowed', 'a redirect from https to http is not allowed');
  }
  const isDropped =
    (answer.status === 303 && hop.method !== 'HEAD') ||
    (answer.status < 303 && hop.method === 'POST');
  const keeps = (name: string): boolean =>
    (from.origin === to.origin || KEPT_ACROSS_ORIGINS.has(name)) &&
    !(isDropped && name === 'content-type');
  return {
    url: to.href,
    method: isDropped ? 'GET' : hop.method,
    headers: Object.fromEntries(
      Object.entries(hop.headers).filter(([name]) => keeps(name.toLowerCase())),
    ),
    body: isDropped ? null : hop.body,
  };
}

function bodyOf(work: WireHttpWork, method: string, input: Uint8Array | null): Uint8Array | null {
  if (work.body !== undefined) return new TextEncoder().encode(work.body);
  return INPUT_METHODS.has(method) ? input : null;
}

/** Ids may hold what a header may not; percent-encoding keeps them apart from each other. */
function headerText(text: string): string {
  return text.replace(/[^\x21-\x7e]|%/gu, (char) => encodeURIComponent(char));
}
