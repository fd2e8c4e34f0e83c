import type { Dispatcher } from 'undici';

type Controller = Dispatcher.DispatchController;
type Headers = Record<string, string | string[] | undefined>;

/** An answer that has come to its end. */
export interface Exchanged {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly contentType: string | undefined;
  readonly location: string | undefined;
  readonly body: Buffer;
}

/**
 * Sends a request and gathers the whole answer. Without a stream for its body: most answers are one
 * piece, and a stream for each costs more than everything else that a client does for a request.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal | undefined,
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    dispatcher.dispatch(request, new Gathering(signal, resolve, reject));
  });
}

class Gathering implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal | undefined;
  readonly #resolve: (exchanged: Exchanged) => void;
  readonly #reject: (error: unknown) => void;
  readonly #chunks: Buffer[] = [];
  #status = 0;
  #headers: Headers = {};
  #onAbort: (() => void) | undefined;

  constructor(
    signal: AbortSignal | undefined,
    resolve: (exchanged: Exchanged) => void,
    reject: (error: unknown) => void,
  ) {
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onRequestStart(controller: Controller): void {
    const signal = this.#signal;
    if (signal === undefined) return;
    if (signal.aborted) return controller.abort(signal.reason);
    this.#onAbort = () => controller.abort(signal.reason);
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onResponseStart(_controller: Controller, status: number, headers: Headers): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#forgetSignal();
    const [only] = this.#chunks;
    const body =
      this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, body, ...headersOf(this.#headers) });
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#forgetSignal();
    this.#reject(error);
  }

  #forgetSignal(): void {
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

/** What a client looks at of the headers. */
export function headersOf(headers: Headers): Omit<Exchanged, 'status' | 'body'> {
  const first = (name: string): string | undefined => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  return {
    retryAfter: first('retry-after'),
    contentType: first('content-type'),
    location: first('location'),
  };
}
