import { setTimeout as pause } from 'node:timers/promises';
import { ERROR_STATUS, type ErrorBody, type ErrorCode } from '@signalbox/protocol';
import { type Dispatcher, Pool } from 'undici';
import { SignalboxError } from '../errors.ts';
import { checkOptions } from '../known-members.ts';
import { type Exchanged, exchange, headersOf } from './exchange.ts';
import {
  mayBeDone,
  mayRepeat,
  parseRetryAfter,
  pauseBefore,
  RETRIES_MEMBERS,
  type RetryOptions,
  type RetrySettings,
  retrySettings,
} from './retry-policy.ts';

/** Connections are reused and limited: a burst of requests waits instead of opening thousands. */
const CONNECTIONS_MAX = 128;
const KEEP_ALIVE_MS = 30_000;
const RESPONSE_MS = 90_000;

export interface HttpClientParams {
  readonly url: string;
  readonly key?: string | undefined;
  readonly tenant?: string | undefined;
  readonly retries?: RetryOptions | undefined;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below `/api/v1`. */
  readonly path: string;
  /** JSON text, or bytes. */
  readonly body?: string | Uint8Array;
  /** Of the body, unless it is JSON or arbitrary bytes. */
  readonly contentType?: string;
  /** Idempotency key: the node processes the request once, however often it is sent. */
  readonly key?: string;
  /** Whether the request can be repeated safely; reads always can. */
  readonly repeatable?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Members of every valid response; without them, the response comes from another server. */
  readonly expects?: readonly string[];
}

/** Requests to a node over persistent connections, with retries. */
export class HttpClient {
  readonly #base: URL;
  readonly #path: string;
  readonly #headers: Record<string, string>;
  readonly #pool: Pool;
  readonly #retries: RetrySettings;
  readonly #closing = new AbortController();

  constructor(params: HttpClientParams) {
    this.#base = new URL(params.url);
    this.#path = `${this.#base.pathname.replace(/\/$/, '')}/api/v1`;
    this.#pool = new Pool(this.#base.origin, {
      connections: CONNECTIONS_MAX,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: RESPONSE_MS,
    });
    this.#headers = {
      ...(params.key !== undefined && { authorization: `Bearer ${params.key}` }),
      ...(params.tenant !== undefined && { 'signalbox-tenant': params.tenant }),
    };
    checkOptions('the retries option of connect()', params.retries ?? {}, RETRIES_MEMBERS);
    this.#retries = retrySettings(params.retries);
  }

  async json<T>(request: HttpRequest): Promise<T> {
    const answer = await this.#ask(request);
    if (!isOfType(answer, 'application/json')) throw this.#foreign(request.path, answer);
    const value = parsed(answer.body.toString());
    const isNode = typeof value === 'object' && value !== null && hasAll(value, request.expects);
    if (!isNode) throw this.#foreign(request.path, answer);
    return value as T;
  }

  /** A copy: the bytes of a response are a part of a larger buffer. */
  async bytes(request: HttpRequest): Promise<Uint8Array> {
    const answer = await this.#ask(request);
    if (!isOfType(answer, 'application/octet-stream')) throw this.#foreign(request.path, answer);
    return new Uint8Array(answer.body);
  }

  /** A streamed response: its bytes as they arrive. Not repeated here; the reader knows its position. */
  async stream(path: string, signal: AbortSignal, headers: Record<string, string>) {
    const answer = await this.#pool.request({
      method: 'GET',
      path: `${this.#path}${path}`,
      headers: { ...this.#headers, ...headers },
      signal,
    });
    const head = { status: answer.statusCode, ...headersOf(answer.headers) };
    if (head.status === 200 && isOfType(head, 'text/event-stream')) return answer.body;
    const body = Buffer.from(await answer.body.arrayBuffer());
    throw head.status < 400 ? this.#foreign(path, head) : this.#refused({ ...head, body }, false);
  }

  /** Aborts everything in progress: long polls and streams would not end by themselves. */
  destroy(): Promise<void> {
    this.#closing.abort();
    return this.#pool.destroy();
  }

  async #ask(request: HttpRequest): Promise<Exchanged> {
    const repeatable = request.repeatable ?? request.method === 'GET';
    let doubtful = false;
    for (let failures = 1; ; failures++) {
      const outcome = await this.#try(request, doubtful);
      if (!(outcome instanceof SignalboxError)) return outcome;
      doubtful ||= mayBeDone({ status: outcome.status, isUnsent: isUnsent(outcome) });
      const { signal: closing } = this.#closing;
      const isOver = failures >= this.#retries.attemptsMax || closing.aborted;
      const isUnheard = outcome.code === 'unreachable' && outcome.status === 0;
      const unheard = isUnheard && (repeatable || isUnsent(outcome));
      if (isOver || !(unheard || mayRepeat(outcome.status, repeatable))) throw outcome;
      const { retryAfterMs } = outcome;
      const ms = pauseBefore({ settings: this.#retries, failures, retryAfterMs });
      if (ms === null) throw outcome;
      const signal = request.signal ? AbortSignal.any([request.signal, closing]) : closing;
      await pause(ms, undefined, { signal }).catch(() => {});
      request.signal?.throwIfAborted();
      if (closing.aborted) throw outcome;
    }
  }

  async #try(request: HttpRequest, doubtful: boolean): Promise<Exchanged | SignalboxError> {
    try {
      const answer = await exchange(this.#pool, this.#optionsOf(request), request.signal);
      if (answer.status >= 400) return this.#refused(answer, doubtful);
      return answer.status >= 300 ? this.#foreign(request.path, answer) : answer;
    } catch (error) {
      request.signal?.throwIfAborted();
      return this.#unreachable(error);
    }
  }

  #optionsOf({ method, path, body, contentType, key }: HttpRequest): Dispatcher.DispatchOptions {
    return {
      path: `${this.#path}${path}`,
      method,
      headers: {
        ...this.#headers,
        ...(body !== undefined && { 'content-type': contentType ?? typeOf(body) }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body }),
    };
  }

  /** What a node refused, or a server in front of it. */
  #refused(answer: Exchanged, mayBeDone: boolean): SignalboxError {
    const { status, retryAfter, contentType } = answer;
    const from = `${this.#base.origin} responded with HTTP ${status} (${contentType ?? 'no content type'})`;
    const { code, message, field, requestId } = parseError(answer.body.toString()) ?? {
      code: guessedCode(status),
      message: `${from}, which is not a response of a Signalbox node; check the address`,
    };
    const retryAfterMs = parseRetryAfter(retryAfter, Date.now());
    return new SignalboxError(code, message, { status, field, requestId, retryAfterMs, mayBeDone });
  }

  /** An answer that no node gives: the address is that of a proxy, a log-in page or another server. */
  #foreign(path: string, answer: Omit<Exchanged, 'body'>): SignalboxError {
    const { status, contentType = 'no content type', location } = answer;
    const what = location === undefined ? contentType : `a redirect to ${location}`;
    const address = `${this.#base.origin}${this.#path}${path}`;
    const message = `${address} responded with HTTP ${status} and ${what}, which is not a response of a Signalbox node; check the address`;
    return new SignalboxError('unreachable', message, { status });
  }

  #unreachable(cause: unknown): SignalboxError {
    const why =
      cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : '';
    const message = `no response from ${this.#base.origin}${why ? `: ${why}` : ''}`;
    return new SignalboxError('unreachable', message, { cause });
  }
}

/** Undefined for text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hasAll(value: object, members: readonly string[] = []): boolean {
  return members.every((name) => Object.hasOwn(value, name));
}

function isOfType({ contentType = '' }: Pick<Exchanged, 'contentType'>, type: string): boolean {
  return contentType.split(';')[0]?.trim().toLowerCase() === type;
}

function typeOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? 'application/json' : 'application/octet-stream';
}

/** Whether the request was never sent, because there was no connection. */
function isUnsent(error: SignalboxError): boolean {
  const code = (error.cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(code);
}

type ReportedError = Omit<ErrorBody['error'], 'requestId'> & { readonly requestId?: string };

function parseError(text: string): ReportedError | null {
  try {
    const { error } = JSON.parse(text) as ErrorBody;
    return typeof error.code === 'string' && typeof error.message === 'string' ? error : null;
  } catch {
    return null;
  }
}

/** The code where something between us and the node has answered. */
function guessedCode(status: number): ErrorCode {
  const codes = Object.keys(ERROR_STATUS) as ErrorCode[];
  const code = codes.find((each) => ERROR_STATUS[each] === status);
  return code ?? (status >= 500 ? 'unavailable' : 'bad_request');
}
