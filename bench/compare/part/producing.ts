import { nowMs, pass } from '../clock.ts';
import type { Command, MessageOf } from '../part-protocol.ts';
import { BackPressure } from './back-pressure.ts';
import { type Payload, payload, payloads } from './payload.ts';

/** How one system takes tasks. A promise resolves when what was submitted is durable. */
export interface Producer {
  submit(data: Payload): Promise<unknown>;
  submitBatch(batch: readonly Payload[]): Promise<unknown>;
  close(): Promise<unknown>;
}

type Result = Omit<MessageOf<'result'>, 'kind'>;
type ProducerCommand = Extract<
  Command,
  { kind: 'load' | 'single' | 'batch' | 'steady' | 'latency' }
>;

/** Carries out a producer's commands on any system. */
export class Producing {
  readonly #producer: Producer;
  #pressure: BackPressure | null = null;
  #done = 0;
  submitted = 0;

  constructor(producer: Producer) {
    this.#producer = producer;
  }

  async run(command: ProducerCommand): Promise<Result> {
    const startedAtMs = nowMs();
    const before = this.submitted;
    const acksMs = await this.#submit(command);
    const made = { n: this.submitted - before, ms: nowMs() - startedAtMs };
    return acksMs.length === 0 ? made : { ...made, acksMs };
  }

  done(n: number): void {
    this.#done = n;
    this.#pressure?.done(n);
  }

  halt(): void {
    this.#pressure?.halt();
  }

  async #submit(command: ProducerCommand): Promise<number[]> {
    switch (command.kind) {
      case 'load':
        return this.#load(command);
      case 'single':
        return this.#repeat(command, () => this.#producer.submit(payload(this.#take(1))));
      case 'batch': {
        const { size } = command;
        return this.#repeat(command, () =>
          this.#producer.submitBatch(payloads(this.#take(size), size)),
        );
      }
      case 'steady':
        return this.#steady(command);
      case 'latency':
        return this.#latency(command);
    }
  }

  #take(count: number): number {
    const first = this.submitted;
    this.submitted += count;
    return first;
  }

  async #load(command: Extract<Command, { kind: 'load' }>): Promise<number[]> {
    const { n, batch, inflight = 1 } = command;
    let left = n;
    const lane = async (): Promise<void> => {
      while (left > 0) {
        const count = Math.min(batch, left);
        left -= count;
        await this.#producer.submitBatch(payloads(this.#take(count), count));
      }
    };
    await Promise.all(Array.from({ length: inflight }, lane));
    return [];
  }

  /** A closed loop: each of `inflight` lanes submits again as soon as it has its answer. */
  async #repeat(
    { inflight, ms }: { inflight: number; ms: number },
    submit: () => Promise<unknown>,
  ): Promise<number[]> {
    const endMs = nowMs() + ms;
    const acksMs: number[] = [];
    const lane = async (): Promise<void> => {
      for (let atMs = nowMs(); atMs < endMs; ) {
        await submit();
        const nextMs = nowMs();
        acksMs.push(nextMs - atMs);
        atMs = nextMs;
      }
    };
    await Promise.all(Array.from({ length: inflight }, lane));
    return acksMs;
  }

  async #steady(command: Extract<Command, { kind: 'steady' }>): Promise<number[]> {
    const { batch, inflight, cap } = command;
    const pressure = new BackPressure({ cap, submitted: this.submitted, done: this.#done });
    this.#pressure = pressure;
    const lane = async (): Promise<void> => {
      for (;;) {
        const first = await pressure.take(batch);
        if (first === null) return;
        if (batch === 1) await this.#producer.submit(payload(first));
        else await this.#producer.submitBatch(payloads(first, batch));
      }
    };
    await Promise.all(Array.from({ length: inflight }, lane));
    this.submitted = pressure.submitted;
    this.#pressure = null;
    return [];
  }

  /** At fixed instants, whether or not the one before was answered. */
  async #latency(command: Extract<Command, { kind: 'latency' }>): Promise<number[]> {
    const { n, gapMs, warm } = command;
    const acksMs: number[] = [];
    const answers: Promise<unknown>[] = [];
    const startMs = nowMs();
    for (let i = 0; i < warm + n; i++) {
      const waitMs = startMs + i * gapMs - nowMs();
      if (waitMs > 0) await pass(waitMs);
      const data = payload(this.#take(1));
      const t0 = nowMs();
      const answer = this.#producer.submit(i < warm ? data : { ...data, t0 });
      answers.push(i < warm ? answer : answer.then(() => acksMs.push(nowMs() - t0)));
    }
    await Promise.all(answers);
    return acksMs;
  }
}
