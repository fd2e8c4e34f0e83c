import { Batches } from './batches.ts';
import type { Client } from './client.ts';
import { bodyOf, type Draft, Drawing } from './drawing.ts';
import type { History } from './history.ts';
import type { ModelOptions, Random } from './options.ts';
import { Recorder, type SubmitAnswer } from './recorder.ts';

const RECENT = 4;

/** What the clients of a test share. */
export interface ActorParams {
  readonly options: ModelOptions;
  readonly random: Random;
  readonly history: History;
  readonly clients: readonly Client[];
  /** Requests under a key that any of them may send again. */
  readonly sent: ConstructorParameters<typeof Batches>[0]['sent'];
}

/** One client: draws requests, sends them to any node, and writes down what came back. */
export class Actor {
  readonly #drawing: Drawing;
  readonly #recorder: Recorder;
  readonly #batches: Batches;
  readonly #history: History;

  constructor(params: ActorParams) {
    const { history, sent } = params;
    this.#history = history;
    this.#drawing = new Drawing(params);
    this.#recorder = new Recorder(history);
    const own = { drawing: this.#drawing, recorder: this.#recorder };
    this.#batches = new Batches({ ...own, history, sent });
  }

  async act(): Promise<void> {
    const dice = this.#drawing.random.next();
    if (dice < 0.4) await this.#submit();
    else if (dice < 0.54) await this.#sendAgain();
    else if (dice < 0.62) await this.#batches.submit();
    else if (dice < 0.68) await this.#batches.submitAgain();
    else if (dice < 0.82) await this.#read();
    else if (dice < 0.9) await this.#list();
    else if (dice < 0.95) await this.#change('cancel');
    else await this.#change('retry');
  }

  async #submit(): Promise<void> {
    const { random } = this.#drawing;
    const submission = this.#drawing.submission(this.#drawing.tenant());
    await this.#send(submission, random.next() < 0.05 ? random.int(20) : undefined);
  }

  /** The same key again: the same request, or one of other content, through any node. */
  async #sendAgain(): Promise<void> {
    const before = this.#drawing.pick(this.#history.submissions.filter(({ key }) => key !== null));
    if (before === undefined) return;
    const { tenant, key } = before;
    if (this.#drawing.random.next() < 0.7) {
      const { job, unique, input } = before;
      await this.#send({ tenant, key, job, unique, input, isOfBatch: false, request: null });
    } else await this.#send({ ...this.#drawing.submission(tenant), key });
  }

  async #read(): Promise<void> {
    const known = this.#drawing.pick(this.#recorder.known);
    if (known === undefined) return;
    const invokedAt = Date.now();
    const { tenant, id } = known;
    const client = this.#drawing.client();
    const reply = await client.request('GET', `/runs/${id}`, { tenant });
    this.#recorder.notice('GET /runs/{id}', reply);
    // Acknowledged work is never unknown, whichever node is asked and whatever has crashed.
    if (reply.status === 404) this.#history.broken.push(`run ${id} of ${tenant} is not found`);
    const asked = { tenant, node: client.node, invokedAt };
    if (reply.status === 200) this.#recorder.shown([reply.body], asked);
  }

  async #list(): Promise<void> {
    const tenant = this.#drawing.tenant();
    const invokedAt = Date.now();
    const client = this.#drawing.client();
    const reply = await client.request('GET', '/runs?limit=50', { tenant });
    this.#recorder.notice('GET /runs', reply);
    if (reply.status !== 200) return;
    const { items } = reply.body as { items: unknown[] };
    this.#recorder.shown(items, { tenant, node: client.node, invokedAt });
  }

  async #change(what: 'cancel' | 'retry'): Promise<void> {
    // What is cancelled should still be live.
    const { known } = this.#recorder;
    const one = this.#drawing.pick(what === 'cancel' ? known.slice(-RECENT) : known);
    if (one === undefined) return;
    const { tenant, id } = one;
    const client = this.#drawing.client();
    const invokedAt = Date.now();
    const reply = await client.request('POST', `/runs/${id}/${what}`, { tenant, body: {} });
    this.#recorder.notice(`POST /runs/{id}/${what}`, reply);
    if (reply.status >= 300 || reply.status === 0) return;
    const run = reply.body as SubmitAnswer;
    const answered = { tenant, id: run.id, answeredAt: Date.now() };
    if (what === 'cancel') this.#history.cancelled.push(answered);
    else this.#history.retried.push({ ...answered, of: id, created: run.created, invokedAt });
  }

  async #send(submission: Draft, cutAfterMs?: number): Promise<void> {
    const { tenant } = submission;
    const invokedAt = Date.now();
    const cut = cutAfterMs === undefined ? {} : { cutAfterMs };
    const options = { tenant, body: bodyOf(submission), ...cut };
    const reply = await this.#drawing.client().request('POST', '/runs', options);
    this.#recorder.notice('POST /runs', reply);
    this.#recorder.submitted(submission, invokedAt, reply);
  }
}
