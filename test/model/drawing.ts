import type { Client } from './client.ts';
import type { History, Submitted, WorkInput } from './history.ts';
import { GRACE_MS, SUBMITTED } from './jobs.ts';
import type { ModelOptions, Random } from './options.ts';

/** A submission before it is sent. */
export type Draft = Omit<Submitted, 'invokedAt' | 'answeredAt' | 'answer'>;

/** What one client draws: tenants, nodes, submissions. */
export class Drawing {
  readonly random: Random;
  readonly #options: ModelOptions;
  readonly #history: History;
  readonly #clients: readonly Client[];

  constructor(params: {
    options: ModelOptions;
    random: Random;
    history: History;
    clients: readonly Client[];
  }) {
    this.random = params.random;
    this.#options = params.options;
    this.#history = params.history;
    this.#clients = params.clients;
  }

  tenant(): string {
    return this.pick(this.#options.tenants) as string;
  }

  /** Any node. */
  client(): Client {
    return this.pick(this.#clients) as Client;
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[this.random.int(Math.max(1, items.length))];
  }

  key(prefix: string): string {
    return `${prefix}-${this.random.int(this.#options.keys)}-${this.random.int(20)}`;
  }

  submission(tenant: string): Draft {
    const { random } = this;
    return {
      tenant,
      job: this.pick(SUBMITTED) as string,
      key: random.next() < 0.5 ? this.key('key') : null,
      unique: random.next() < 0.15 ? `value-${random.int(4)}` : null,
      input: this.#input(),
      isOfBatch: false,
      request: null,
    };
  }

  #input(): WorkInput {
    const { random } = this;
    const plan = this.pick([undefined, undefined, ['transient'], ['permanent']] as const);
    const size = random.next() < 0.05 ? random.int(400_000) : 0;
    const isDeaf = random.next() < 0.05;
    const longest = isDeaf ? 2 * GRACE_MS : 1_500;
    return {
      submission: this.#history.nextSubmission(),
      ms: random.next() < 0.1 ? random.int(longest) : random.int(60),
      ...(isDeaf ? { deaf: true } : {}),
      ...(plan === undefined ? {} : { plan }),
      ...(size === 0 ? {} : { padding: 'x'.repeat(size) }),
    };
  }
}

export function bodyOf({ job, key, unique, input }: Draft): object {
  const named = {
    ...(key === null ? {} : { idempotencyKey: key }),
    ...(unique === null ? {} : { uniqueKey: unique }),
  };
  return { job, ...named, input };
}
