import type { BlobRef, ErrorBody } from '@signalbox/protocol';
import { exitOf } from '../exit-codes.ts';
import { UserError } from '../user-error.ts';
import { type Answer, sendRequest, streamAnswer } from './send-request.ts';

export interface Access {
  readonly url: string;
  readonly key: string;
  readonly tenant: string | null;
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

type Headers = Readonly<Record<string, string>>;

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Query;
  /** Bytes go as they are, everything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Headers;
}

/** An error response of a node. */
export class AnsweredError extends UserError {
  readonly code: string;
  /** The invalid field, as the API names it, and the message about it. */
  readonly field: string | undefined;
  readonly reason: string;

  constructor(error: { code: string; message: string; field?: string }, hint?: string) {
    const { code, field, message } = error;
    const isNamed = field === undefined || message.split(/[^\w.[\]]+/).includes(field);
    super(exitOf(code), isNamed ? message : `${field}: ${message}`, hint);
    this.code = code;
    this.field = field;
    this.reason = message;
  }
}

/** The HTTP API as the commands use it: paths below /api/v1, JSON in and out. */
export class Api {
  readonly access: Access;

  constructor(access: Access) {
    this.access = access;
  }

  async get<T>(path: string, query?: Query): Promise<T> {
    return (await this.#json({ method: 'GET', path, ...(query && { query }) })) as T;
  }

  async post<T>(path: string, body: unknown = {}, headers: Headers = {}): Promise<T> {
    return (await this.#json({ method: 'POST', path, body, headers })) as T;
  }

  async put<T>(path: string, body: unknown, headers: Headers = {}): Promise<T> {
    return (await this.#json({ method: 'PUT', path, body, headers })) as T;
  }

  /** Stores bytes that are too large for a JSON body; a submission can refer to them. */
  async putBlob(bytes: Uint8Array): Promise<BlobRef> {
    return (await this.#json({ method: 'PUT', path: '/blobs', body: bytes })) as BlobRef;
  }

  async delete<T>(path: string, headers: Record<string, string> = {}): Promise<T | null> {
    return (await this.#json({ method: 'DELETE', path, headers })) as T | null;
  }

  async bytes(path: string): Promise<Uint8Array> {
    return this.#send({ method: 'GET', path });
  }

  /** The bytes of a response as they arrive, until it ends or the signal fires. */
  async *stream(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
    const target = new URL(`${this.access.url.replace(/\/+$/, '')}/api/v1${path}`);
    yield* streamAnswer(target, { headers: this.#headers(), signal });
  }

  /** The items of all pages, up to `max`. */
  async *items<T>(path: string, query: Query, max: number): AsyncGenerator<T> {
    // Lists by time continue with a cursor, lists by name after a name.
    const cursorName = path === '/runs' || path === '/tasks' ? 'cursor' : 'after';
    let cursor: string | undefined;
    for (let left = max; left > 0; ) {
      const limit = Math.min(left, 100);
      const page = await this.get<{ items: T[]; next?: string }>(path, {
        ...query,
        limit,
        [cursorName]: cursor,
      });
      yield* page.items.slice(0, left);
      left -= page.items.length;
      cursor = page.next;
      if (cursor === undefined) return;
    }
  }

  async #json(call: Call): Promise<unknown> {
    const text = (await this.#send(call)).toString();
    if (text === '') return null;
    try {
      return JSON.parse(text);
    } catch {
      throw new UserError(
        'unreachable',
        `${this.access.url} is not a Signalbox node: its response is not JSON`,
      );
    }
  }

  #headers(): Record<string, string> {
    const { key, tenant } = this.access;
    return {
      authorization: `Bearer ${key}`,
      ...(tenant !== null && { 'signalbox-tenant': tenant }),
    };
  }

  async #send({ method, path, query, body, headers }: Call): Promise<Buffer> {
    const { url } = this.access;
    const target = new URL(`${url.replace(/\/+$/, '')}/api/v1${path}`);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined) target.searchParams.set(name, String(value));
    }
    const isRaw = body instanceof Uint8Array;
    const answer = await sendRequest(target, {
      method,
      headers: {
        ...this.#headers(),
        ...(body === undefined
          ? {}
          : { 'content-type': `application/${isRaw ? 'octet-stream' : 'json'}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw unreachable(url, error);
    });
    if (answer.status < 200 || answer.status > 299) throw answeredError(answer, url, path);
    return answer.body;
  }
}

function unreachable(url: string, error: unknown): UserError {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return new UserError(
    'unreachable',
    `no node responds at ${url}${code}`,
    'start one with: signalbox dev',
  );
}

function answeredError(answer: Answer, url: string, path: string): UserError {
  let body: Partial<ErrorBody>;
  try {
    body = JSON.parse(answer.body.toString()) as Partial<ErrorBody>;
  } catch {
    body = {};
  }
  const error = body?.error;
  if (typeof error?.code !== 'string') {
    return new UserError(
      'unreachable',
      `${url} responded with HTTP ${answer.status}, but not as a Signalbox node does`,
    );
  }
  return new AnsweredError(error, hintOf(error.code, error.requestId, path));
}

/** Lists to look into if there is nothing with the requested name. */
const LISTS = ['jobs', 'schedules', 'calendars', 'workers', 'tenants'];

const NO_JOB_HINT =
  'list the jobs with: signalbox jobs; create the jobs of a file with: signalbox apply -f jobs.ts';

function hintOf(code: string, requestId: string, path: string): string | undefined {
  const [, list = '', name] = path.split('/');
  if (code === 'not_found' && name !== undefined && LISTS.includes(list)) {
    return `to list them: signalbox ${list}`;
  }
  if (code === 'not_found' && path === '/runs') return NO_JOB_HINT;
  if (code === 'unauthenticated') return 'the key comes from --key or SIGNALBOX_KEY';
  if (code === 'internal') return `the node's log says more under request ${requestId}`;
  return undefined;
}
