import { parentPort } from 'node:worker_threads';
import { failureOf, PermanentError } from '../../errors.ts';
import type { AttemptContext, Result } from '../../executor.ts';
import type { Handler } from './handler.ts';
import type { FromIsolated, ToIsolated } from './isolated-messages.ts';
import { runHandler } from './run-handler.ts';

/** The two ways to the worker: the port of a thread, the channel of a process. */
interface Channel {
  send(message: FromIsolated, sent?: () => void): void;
  listen(listener: (message: ToIsolated) => void): void;
  end(): void;
}

/** Runs in the thread or process: receives one attempt, runs the handler, sends the result. */
export function serveOneAttempt(params: {
  load: () => Promise<Readonly<Record<string, unknown>>>;
  exportName: string;
}): void {
  const channel = parentPort === null ? processChannel() : threadChannel();
  let attempt: RemoteAttempt | null = null;
  channel.listen((message) => {
    if (message.kind === 'run') {
      attempt = new RemoteAttempt(message, channel);
      void run(params, attempt).then((result) => {
        channel.send({ kind: 'done', result }, () => channel.end());
      });
    } else attempt?.received(message);
  });
  channel.send({ kind: 'ready' });
}

async function run(
  params: { load: () => Promise<Readonly<Record<string, unknown>>>; exportName: string },
  attempt: AttemptContext,
): Promise<Result> {
  let handler: unknown;
  try {
    handler = (await params.load())[params.exportName];
  } catch (error) {
    return failureOf(error);
  }
  if (typeof handler === 'function') {
    return runHandler(handler as Handler, attempt, { isAlone: true });
  }
  return failureOf(
    new PermanentError(`the module does not export a function ${params.exportName}`),
  );
}

/** The attempt on this side of the channel; every call is sent to the worker. */
class RemoteAttempt implements AttemptContext {
  readonly assign;
  readonly input;
  readonly checkpoint;
  readonly parents;
  deadline: number | null;
  graceMs: number;
  readonly #abort = new AbortController();
  readonly #channel: Channel;
  readonly #calls = new Map<number, (granted: boolean) => void>();
  #callsMade = 0;

  constructor(message: ToIsolated & { kind: 'run' }, channel: Channel) {
    this.assign = message.assign;
    this.input = message.input;
    this.checkpoint = message.checkpoint;
    this.parents = message.parents;
    this.deadline = message.deadline;
    this.graceMs = message.assign.graceMs;
    this.#channel = channel;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  received(message: ToIsolated): void {
    if (message.kind === 'abort') {
      this.graceMs = message.graceMs;
      this.#abort.abort(message.why);
    } else if (message.kind === 'extended') {
      this.deadline = message.deadline;
      this.#calls.get(message.call)?.(message.granted);
      this.#calls.delete(message.call);
    }
  }

  log(stream: 'stdout' | 'stderr' | 'log', text: string | Uint8Array): void {
    this.#channel.send({ kind: 'log', stream, text });
  }

  progress(value: number): void {
    this.#channel.send({ kind: 'progress', value });
  }

  saveCheckpoint(state: Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#channel.send({ kind: 'checkpoint', state }, resolve));
  }

  extend(byMs: number): Promise<boolean> {
    const call = this.#callsMade;
    this.#callsMade += 1;
    this.#channel.send({ kind: 'extend', call, byMs });
    return new Promise((resolve) => this.#calls.set(call, resolve));
  }
}

function threadChannel(): Channel {
  const port = parentPort as NonNullable<typeof parentPort>;
  return {
    send: (message, sent) => {
      port.postMessage(message);
      sent?.();
    },
    listen: (listener) => port.on('message', listener),
    // The handler may have left timers behind: the worker ends the thread, they do not keep it.
    end: () => port.close(),
  };
}

function processChannel(): Channel {
  // A worker that has died leaves no processes behind.
  process.on('disconnect', () => process.exit(1));
  return {
    send: (message, sent) => {
      process.send?.(message, undefined, undefined, () => sent?.());
    },
    listen: (listener) => process.on('message', (message) => listener(message as ToIsolated)),
    end: () => process.exit(0),
  };
}
