import type { About, FromNode, FromWorker, Ref } from '@signalbox/protocol/link';
import { type InProcessWorker, inProcessTransport } from '../transport/in-process.ts';
import type { Transport } from '../transport/transport.ts';

type Kind = FromWorker['kind'];
type Of<K extends Kind> = FromWorker & { readonly kind: K };

/** A node in a few lines, over the in-process transport: says what the test wants, keeps what it hears. */
export class FakeNode {
  readonly transport: Transport;
  readonly heard: FromWorker[] = [];
  /** Every hello is welcomed and every result confirmed, unless a test turns it off. */
  confirms = true;
  welcomes = true;
  isUp = true;
  heartbeatMs = 1_000;
  #worker: InProcessWorker | null = null;
  #waiting: { done(): boolean; resolve(): void }[] = [];

  constructor() {
    this.transport = inProcessTransport({
      open: (peer) => {
        if (!this.isUp) throw new Error('the node is down');
        this.#worker = peer;
        return {
          receive: (frames) => this.#receive(frames),
          closed: () => {
            if (this.#worker === peer) this.#worker = null;
            this.#look();
          },
        };
      },
    });
  }

  get isConnected(): boolean {
    return this.#worker !== null;
  }

  send(...frames: FromNode[]): void {
    this.#worker?.send(frames);
  }

  /** Cuts the connection; the worker may come back while `isUp`. */
  cut(): void {
    this.#worker?.close(1006, 'cut');
    this.#worker = null;
  }

  all<K extends Kind>(kind: K): Of<K>[] {
    return this.heard.filter((frame): frame is Of<K> => frame.kind === kind);
  }

  /** The frame number `count` of the kind, when it has come. */
  async next<K extends Kind>(kind: K, count = 1): Promise<Of<K>> {
    await this.until(() => this.all(kind).length >= count);
    return this.all(kind)[count - 1] as Of<K>;
  }

  /** What it has accepted, in however many frames. */
  get accepted(): Ref[] {
    return this.all('accept').flatMap(({ refs }) => refs);
  }

  until(done: () => boolean): Promise<void> {
    if (done()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ done, resolve }));
  }

  #receive(frames: readonly FromWorker[]): void {
    for (const frame of frames) {
      this.heard.push(frame);
      if (frame.kind === 'hello' && this.welcomes) {
        this.send({ kind: 'welcome', protocol: 1, node: 'fake', heartbeatMs: this.heartbeatMs });
      }
      if (frame.kind === 'finish' && this.confirms)
        this.send({ kind: 'confirm', refs: [frame.ref] });
    }
    this.#look();
  }

  #look(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) {
      if (each.done()) each.resolve();
      else this.#waiting.push(each);
    }
  }
}

type Assign = FromNode & { readonly kind: 'assign' };

export function buildRef(seq: number): Ref {
  return [0, seq, 0, 1, 1, seq + 1];
}

export function buildAssign(
  seq: number,
  more: Partial<Assign> & Partial<About> & { value?: unknown } = {},
): Assign {
  const { value, ...fields } = more;
  const {
    tenant = 'acme',
    job = 'invoice',
    jobVersion = 3,
    task = 'main',
    executor = 'handler:invoice',
    work = null,
    request = { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 1 },
    class: className = 'P1',
    graceMs = 1_000,
    ...frame
  } = fields;
  return {
    kind: 'assign',
    ref: buildRef(seq),
    about: {
      tenant,
      job,
      jobVersion,
      task,
      executor,
      work,
      request,
      class: className,
      graceMs,
    },
    run: `run-${seq}`,
    timeoutMs: null,
    input: value === undefined ? null : new TextEncoder().encode(JSON.stringify(value)),
    checkpoint: null,
    ...frame,
  };
}

export function textOf(bytes: Uint8Array | null | undefined): string {
  return new TextDecoder().decode(bytes ?? new Uint8Array());
}
