import type { WireHttpWork } from '@signalbox/protocol/link';
import { Client } from 'undici';
import type { AttemptContext, Executor, Result } from '../../executor.ts';
import { firstHop, type Hop, nextHop } from './hop.ts';
import { HttpFailure } from './http-failure.ts';
import { checkOptions, type HttpExecutorOptions, REQUEST_MS } from './http-options.ts';
import { type Answer, describeAnswer, header, isSuccess, resultOf } from './http-result.ts';
import { discard, readBody } from './read-body.ts';
import { type Vetting, vetTarget } from './vet-target.ts';
import { vettedConnector } from './vetted-connector.ts';

/** Sends the request of an attempt, guarded against forgery of internal addresses. */
export function httpExecutor(options: HttpExecutorOptions = {}): Executor {
  checkOptions(options);
  return { name: 'http', run: (attempt) => run(attempt, options) };
}

async function run(attempt: AttemptContext, options: HttpExecutorOptions): Promise<Result> {
  const work = attempt.assign.work?.['http'] as WireHttpWork | undefined;
  if (work === undefined) return failed(new HttpFailure('invalid', 'the task has no http request'));
  const timeoutMs = work.timeoutMs ?? REQUEST_MS;
  const startedAt = performance.now();
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), timeoutMs);
  const signal = AbortSignal.any([attempt.signal, over.signal]);
  const { id, tenant } = attempt.assign;
  const refused: Vetting['refused'] = (refusal) =>
    options.onRefused?.({ attempt: id, tenant, ...refusal });
  try {
    const answer = await request(work, attempt, { options, signal, refused });
    const durationMs = Math.round(performance.now() - startedAt);
    // A failed attempt has no output: what the endpoint answered is for people, in its log.
    if (!isSuccess(answer)) attempt.log('log', describeAnswer(withoutEchoes(answer, work)));
    const result = resultOf(answer, Date.now());
    return result.kind === 'stopped' ? result : { ...result, durationMs };
  } catch (error) {
    if (attempt.signal.aborted) return { kind: 'stopped', output: null };
    if (over.signal.aborted) {
      return failed(new HttpFailure('timeout', `no response within ${timeoutMs} ms`));
    }
    return failed(error instanceof HttpFailure ? error : new HttpFailure('response_failed'));
  } finally {
    clearTimeout(timer);
  }
}

/** Shorter header values are words such as `json` or `gzip`. */
const ECHO_CHARACTERS_MIN = 8;

/**
 * An endpoint may repeat what it was sent, above all in an error. The values of headers may be secrets,
 * and a log is read by people who may not know them.
 */
function withoutEchoes(answer: Answer, { headers = {} }: WireHttpWork): Answer {
  const sent = Object.values(headers).flatMap((value) => [value, ...value.split(' ')]);
  const long = sent.filter((value) => value.length >= ECHO_CHARACTERS_MIN);
  const text = long.reduce((rest, value) => rest.replaceAll(value, '***'), answer.body.text);
  return { ...answer, body: { ...answer.body, text } };
}

async function request(
  work: WireHttpWork,
  attempt: AttemptContext,
  vetting: Vetting,
): Promise<Answer> {
  let hop = firstHop(work, attempt);
  for (let redirects = 0; ; redirects++) {
    const answer = await send(hop, vetting);
    if ('body' in answer) {
      const { origin, pathname } = new URL(hop.url);
      attempt.log('log', `${hop.method} ${origin}${pathname} returned ${answer.status}`);
      return answer;
    }
    if (redirects >= (work.redirectsMax ?? 0)) throw new HttpFailure('too_many_redirects');
    hop = answer.next;
  }
}

/** The answer, or where it leads to. The connection ends with it: nothing is dialled unchecked later. */
async function send(hop: Hop, vetting: Vetting): Promise<Answer | { readonly next: Hop }> {
  const target = await vetTarget(hop.url, vetting);
  const client = new Client(target.url.origin, {
    connect: vettedConnector(target, vetting),
    allowH2: false,
    // The signal carries the one time limit of the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 65_536,
  });
  try {
    const { statusCode, headers, body } = await client.request({
      path: `${target.url.pathname}${target.url.search}`,
      method: hop.method as 'GET',
      headers: { ...hop.headers },
      body: hop.body,
      signal: vetting.signal,
    });
    const next = nextHop(hop, { status: statusCode, location: header(headers, 'location') });
    if (next !== null) {
      discard(body);
      return { next };
    }
    const kept = await readBody(body, header(headers, 'content-encoding'));
    return { status: statusCode, headers, body: kept };
  } finally {
    await client.destroy();
  }
}

function failed(failure: HttpFailure): Result {
  return { kind: 'failed', error: failure.message, class: failure.class, output: null };
}
