import { bodyOf, type Draft, type Drawing } from './drawing.ts';
import type { History } from './history.ts';
import type { Recorder, SubmitAnswer } from './recorder.ts';

interface Sent {
  readonly tenant: string;
  /** The key of the request. */
  readonly key: string;
  readonly items: readonly Draft[];
}

/** How many requests under a key are remembered, to be sent again. */
const REMEMBERED = 50;

/**
 * Batches, with and without a key of the whole request. One under a key is sent again by any client to
 * any node: whole, with other inputs, or with other content, which has to be refused.
 */
export class Batches {
  readonly #drawing: Drawing;
  readonly #recorder: Recorder;
  readonly #history: History;
  /** Shared by all clients. */
  readonly #sent: Sent[];

  constructor(params: {
    drawing: Drawing;
    recorder: Recorder;
    history: History;
    sent: Sent[];
  }) {
    this.#drawing = params.drawing;
    this.#recorder = params.recorder;
    this.#history = params.history;
    this.#sent = params.sent;
  }

  async submit(): Promise<void> {
    const drawing = this.#drawing;
    const tenant = drawing.tenant();
    const key = drawing.random.next() < 0.6 ? drawing.key('request') : null;
    const items = this.#draw(tenant);
    if (key !== null) this.#remember({ tenant, key, items });
    await this.#send(tenant, key, items);
  }

  async submitAgain(): Promise<void> {
    const { random } = this.#drawing;
    const before = this.#drawing.pick(this.#sent);
    if (before === undefined) return;
    const { tenant, key, items } = before;
    const dice = random.next();
    if (dice < 0.6) await this.#send(tenant, key, items);
    else if (dice < 0.75) await this.#send(tenant, key, this.#withOtherInputs(items));
    else await this.#send(tenant, key, this.#draw(tenant));
  }

  #remember(sent: Sent): void {
    this.#sent.push(sent);
    if (this.#sent.length > REMEMBERED) this.#sent.shift();
  }

  /** Plain submissions alone are one row of runs; others stand for themselves. */
  #draw(tenant: string): Draft[] {
    const { random } = this.#drawing;
    const isPlain = random.next() < 0.4;
    const job = random.next() < 0.5 ? `plain-${random.int(6)}` : null;
    return Array.from({ length: 1 + random.int(8) }, () => {
      const draft = this.#drawing.submission(tenant);
      if (!isPlain) return draft;
      return { ...draft, key: null, unique: null, job: job ?? `plain-${random.int(6)}` };
    });
  }

  /** Jobs, keys and unique values say what a request is; its inputs do not. */
  #withOtherInputs(items: readonly Draft[]): Draft[] {
    return items.map((item) => {
      const { input } = this.#drawing.submission(item.tenant);
      return { ...item, input };
    });
  }

  async #send(tenant: string, key: string | null, drafts: readonly Draft[]): Promise<void> {
    const { random } = this.#drawing;
    const items = drafts.map((draft, place): Draft => {
      return { ...draft, isOfBatch: true, request: key === null ? null : { key, place } };
    });
    const invokedAt = Date.now();
    const cut = random.next() < 0.05 ? { cutAfterMs: random.int(20) } : {};
    const named = key === null ? {} : { key };
    const options = { tenant, body: { items: items.map(bodyOf) }, ...named, ...cut };
    const reply = await this.#drawing.client().request('POST', '/runs/batch', options);
    this.#recorder.notice('POST /runs/batch', reply);
    const { items: answers } = (reply.body ?? {}) as { items?: SubmitAnswer[] };
    if (answers !== undefined && answers.length !== items.length) {
      this.#history.broken.push(`a batch of ${items.length} has ${answers.length} answers`);
    }
    for (const [i, item] of items.entries()) {
      const answer = answers?.[i];
      const own = answer === undefined ? reply : { status: 200, body: answer };
      this.#recorder.submitted(item, invokedAt, own);
    }
    if (key !== null) {
      const isAcknowledged = answers !== undefined;
      this.#history.requests.push({ tenant, key, items: drafts, isAcknowledged });
    }
  }
}
