import { NO_RESOURCES } from '@signalbox/engine';
import { type FromNode, type FromWorker, PROTOCOL_VERSION, type Ref } from '@signalbox/protocol';
import type { Gateway } from '../gateway.ts';
import { connectInProcess, type InProcessConnection } from '../in-process.ts';

type Hello = FromWorker & { kind: 'hello' };

export function helloOf(worker: string, more: Partial<Hello> = {}): Hello {
  return {
    kind: 'hello',
    protocol: PROTOCOL_VERSION,
    worker,
    instance: `${worker}-1`,
    zone: 'a',
    labels: {},
    executors: ['handler:mail', 'command', 'http'],
    total: { ...NO_RESOURCES, slots: 10 },
    foreignUse: NO_RESOURCES,
    holds: [],
    ...more,
  };
}

/** The far end of a link, with every frame kept: it says only what the test tells it to say. */
export class TestWorker {
  readonly frames: FromNode[] = [];
  close: { code: number; reason: string } | null = null;
  #link: InProcessConnection | null = null;
  #waiting: { until: () => unknown; resolve: () => void }[] = [];

  static async connect(gateway: Gateway, hello?: Hello): Promise<TestWorker> {
    const worker = new TestWorker();
    worker.#link = await connectInProcess(gateway).connect({
      received: (frames) => {
        worker.frames.push(...frames);
        worker.#look();
      },
      closed: (code, reason) => {
        worker.close = { code, reason };
        worker.#look();
      },
    });
    if (hello !== undefined) {
      worker.say(hello);
      await worker.got('welcome');
    }
    return worker;
  }

  say(...frames: FromWorker[]): void {
    this.#link?.send(frames);
  }

  hangUp(): void {
    void this.#link?.close();
  }

  of<K extends FromNode['kind']>(kind: K): (FromNode & { kind: K })[] {
    return this.frames.filter((f): f is FromNode & { kind: K } => f.kind === kind);
  }

  /** Resolves with the nth frame of the kind, now or when it comes. */
  async got<K extends FromNode['kind']>(kind: K, nth = 1): Promise<FromNode & { kind: K }> {
    await this.when(() => this.of(kind).length >= nth);
    return this.of(kind)[nth - 1] as FromNode & { kind: K };
  }

  /** Resolves when so many results have been confirmed, in however many frames. */
  confirmed(count: number): Promise<void> {
    return this.when(() => this.of('confirm').flatMap(({ refs }) => refs).length >= count);
  }

  async closed(): Promise<{ code: number; reason: string }> {
    await this.when(() => this.close !== null);
    return this.close as { code: number; reason: string };
  }

  when(until: () => unknown): Promise<void> {
    if (until()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ until, resolve }));
  }

  succeed(ref: Ref, output: Uint8Array | null = null): void {
    this.say({ kind: 'finish', ref, result: { kind: 'succeeded' }, output });
  }

  #look(): void {
    const due = this.#waiting.filter(({ until }) => until());
    this.#waiting = this.#waiting.filter((waiter) => !due.includes(waiter));
    for (const { resolve } of due) resolve();
  }
}
