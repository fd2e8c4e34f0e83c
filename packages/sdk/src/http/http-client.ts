import { setTimeout as pause } from 'node:timers/promises';
import { ERROR_STATUS, type ErrorBody, type ErrorCode } from '@signalbox/protocol';
import { Agent, type Dispatcher } from 'undici';
import { SignalboxError } from '../errors.ts';
import {
  DEFAULT_RETRIES,
  mayRepeat,
  parseRetryAfter,
  pauseBefore,
  type RetrySettings,
} from './retry-policy.ts';

/** Connections are kept, and bounded: a burst of requests waits its turn instead of opening thousands. */
const CONNECTIONS_MAX = 128;
const KEEP_ALIVE_MS = 30_000;
const ANSWER_MS = 90_000;

export interface HttpClientParams {
  readonly url: string;
  readonly key?: string | undefined;
  readonly tenant?: string | undefined;
  readonly retries?: Partial<RetrySettings> | undefined;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below `/api/v1`. */
  readonly path: string;
  /** Text is JSON; bytes go as they are. */
  readonly body?: string | Uint8Array;
  /** May happen twice without harm; reads always may. */
  readonly repeatable?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Requests to a node over kept connections; repeats what may be repeated. */
export class HttpClient {
  readonly #base: URL;
  readonly #headers: Record<string, string>;
  readonly #agent = new Agent({
    connections: CONNECTIONS_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: ANSWER_MS,
  });
  readonly #retries: RetrySettings;
  #isOpen = true;

  constructor(params: HttpClientParams) {
    this.#base = new URL(params.url);
    this.#headers = {
      ...(params.key !== undefined && { authorization: `Bearer ${params.key}` }),
      ...(params.tenant !== undefined && { 'signalbox-tenant': params.tenant }),
    };
    this.#retries = { ...DEFAULT_RETRIES, ...params.retries };
  }

  async json<T>(request: HttpRequest): Promise<T> {
    const bytes = await this.bytes(request);
    return (bytes.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(bytes))) as T;
  }

  async bytes(request: HttpRequest): Promise<Uint8Array> {
    const repeatable = request.repeatable ?? request.method === 'GET';
    for (let failures = 1; ; failures++) {
      const outcome = await this.#try(request);
      if (outcome instanceof Uint8Array) return outcome;
      const isOver = failures >= this.#retries.attemptsMax || !this.#isOpen;
      const unheard = outcome.code === 'unreachable' && (repeatable || isUnsent(outcome));
      if (isOver || !(unheard || mayRepeat(outcome.status, repeatable))) throw outcome;
      const { retryAfterMs } = outcome;
      const ms = pauseBefore({ settings: this.#retries, failures, retryAfterMs });
      if (ms === null) throw outcome;
      await pause(ms, undefined, { signal: request.signal }).catch(() => {});
      request.signal?.throwIfAborted();
    }
  }

  /** An answer that goes on: its bytes as they come. Not repeated here; the reader knows where it was. */
  async stream(path: string, signal: AbortSignal, headers: Record<string, string>) {
    const answer = await this.#send({ method: 'GET', path, signal }, headers);
    if (answer.statusCode !== 200) throw await this.#errorOf(answer);
    return answer.body;
  }

  /** Whatever is under way is cut: long polls and streams would not end by themselves. */
  destroy(): Promise<void> {
    this.#isOpen = false;
    return this.#agent.destroy();
  }

  async #try(request: HttpRequest): Promise<Uint8Array | SignalboxError> {
    try {
      const answer = await this.#send(request, {});
      if (answer.statusCode >= 400) return await this.#errorOf(answer);
      return new Uint8Array(await answer.body.arrayBuffer());
    } catch (error) {
      request.signal?.throwIfAborted();
      return this.#unreachable(error);
    }
  }

  #send(request: HttpRequest, more: Record<string, string>): Promise<Dispatcher.ResponseData> {
    const { method, body, signal } = request;
    return this.#agent.request({
      origin: this.#base.origin,
      path: `${this.#base.pathname.replace(/\/$/, '')}/api/v1${request.path}`,
      method,
      headers: {
        ...this.#headers,
        ...(body !== undefined && { 'content-type': contentType(body) }),
        ...more,
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
  }

  async #errorOf(answer: Dispatcher.ResponseData): Promise<SignalboxError> {
    const status = answer.statusCode;
    const header = answer.headers['retry-after'];
    const retryAfter = parseRetryAfter(Array.isArray(header) ? header[0] : header, Date.now());
    const text = await answer.body.text();
    const { code, message, field, requestId } = parseError(text) ?? guessed(status);
    return new SignalboxError(code, message, {
      status,
      field,
      requestId,
      retryAfterMs: retryAfter,
    });
  }

  #unreachable(cause: unknown): SignalboxError {
    const why =
      cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : '';
    const message = `no answer from ${this.#base.origin}${why ? `: ${why}` : ''}`;
    return new SignalboxError('unreachable', message, { cause });
  }
}

function contentType(body: string | Uint8Array): string {
  return typeof body === 'string' ? 'application/json' : 'application/octet-stream';
}

/** Nobody has heard of the request: the connection was never made. */
function isUnsent(error: SignalboxError): boolean {
  const code = (error.cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(code);
}

type Told = Omit<ErrorBody['error'], 'requestId'> & { readonly requestId?: string };

function parseError(text: string): Told | null {
  try {
    const { error } = JSON.parse(text) as ErrorBody;
    return typeof error.code === 'string' && typeof error.message === 'string' ? error : null;
  } catch {
    return null;
  }
}

/** Something between us and the node has answered. */
function guessed(status: number): Told {
  const codes = Object.keys(ERROR_STATUS) as ErrorCode[];
  const code = codes.find((each) => ERROR_STATUS[each] === status);
  return {
    code: code ?? (status >= 500 ? 'unavailable' : 'bad_request'),
    message: `HTTP ${status}`,
  };
}
