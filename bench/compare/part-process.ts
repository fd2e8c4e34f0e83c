import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { nowMs } from './clock.ts';
import { readJsonLines } from './json-lines.ts';
import type { Command, Message, MessageOf } from './part-protocol.ts';

const STOP_MS = 15_000;

export interface Count {
  readonly n: number;
  readonly atMs: number;
}

/** Programs are compiled once for all parts of a comparison, not anew in every process that starts. */
function withCompileCache(): NodeJS.ProcessEnv {
  const folder = fileURLToPath(new URL('../../.cache/compiled', import.meta.url));
  return { ...process.env, NODE_COMPILE_CACHE: folder };
}

/** The driver's end of a part. */
export class PartProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #unread: Message[] = [];
  #waiting: { kind: Message['kind']; resolve: (message: Message) => void; reject: Reject }[] = [];
  #failure: Error | null = null;
  #counted: Count = { n: 0, atMs: nowMs() };
  #onCount: (n: number) => void = () => {};

  constructor([file, ...args]: readonly string[]) {
    if (file === undefined) throw new Error('a part has no program');
    this.#child = spawn(file, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: withCompileCache(),
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once('close', (code) => {
        this.#fail(new Error(`a part ended with ${code}`));
        resolve();
      });
    });
    this.#child.once('error', (error) => this.#fail(error));
    const { stdin, stdout } = this.#child;
    if (stdin === null || stdout === null) throw new Error('a part has no pipes');
    // A part that is gone is noticed by its end; what was still written to it does not matter.
    stdin.on('error', () => {});
    readJsonLines<Message>(stdout, (message) => this.#take(message));
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** The tasks that it has handled, and when that last grew. */
  get counted(): Count {
    return this.#counted;
  }

  set onCount(listener: (n: number) => void) {
    this.#onCount = listener;
  }

  /** Throws where it has ended by itself: who waits for its count would wait in vain. */
  assertAlive(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  tell(command: Command): void {
    (this.#child.stdin as Writable).write(`${JSON.stringify(command)}\n`);
  }

  /** The next message of this kind. */
  async next<Kind extends Message['kind']>(kind: Kind): Promise<MessageOf<Kind>> {
    const index = this.#unread.findIndex((message) => message.kind === kind);
    const message =
      index >= 0 ? (this.#unread.splice(index, 1)[0] as Message) : await this.#wait(kind);
    return message as MessageOf<Kind>;
  }

  /** Lets it come to an end in good order. */
  async stop(): Promise<MessageOf<'bye'>> {
    this.tell({ kind: 'stop' });
    const timer = setTimeout(() => {
      this.#fail(new Error(`a part did not stop within ${STOP_MS} ms`));
      this.#child.kill('SIGKILL');
    }, STOP_MS);
    try {
      return await this.next('bye');
    } finally {
      clearTimeout(timer);
      await this.#ended;
    }
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  #wait(kind: Message['kind']): Promise<Message> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => this.#waiting.push({ kind, resolve, reject }));
  }

  #take(message: Message): void {
    if (message.kind === 'count') {
      this.#counted = { n: message.n, atMs: nowMs() };
      this.#onCount(message.n);
      return;
    }
    const index = this.#waiting.findIndex(({ kind }) => kind === message.kind);
    if (index < 0) this.#unread.push(message);
    else this.#waiting.splice(index, 1)[0]?.resolve(message);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

type Reject = (error: Error) => void;
