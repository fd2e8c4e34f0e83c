import type { Client, Reply } from './client.ts';
import type { History, Shown, Submitted, WorkInput } from './history.ts';
import { GRACE_MS, SUBMITTED } from './jobs.ts';
import type { ModelOptions, Random } from './options.ts';

const RECENT = 4;

/** One client: draws requests, sends them to any node, and writes down what came back. */
export class Actor {
  readonly #options: ModelOptions;
  readonly #random: Random;
  readonly #history: History;
  readonly #clients: readonly Client[];
  /** Runs that this client may look at again, change or try again. */
  readonly #known: { readonly tenant: string; readonly id: string }[] = [];

  constructor(params: {
    options: ModelOptions;
    random: Random;
    history: History;
    clients: readonly Client[];
  }) {
    this.#options = params.options;
    this.#random = params.random;
    this.#history = params.history;
    this.#clients = params.clients;
  }

  async act(): Promise<void> {
    const dice = this.#random.next();
    if (dice < 0.45) await this.#submit();
    else if (dice < 0.6) await this.#sendAgain();
    else if (dice < 0.68) await this.#submitBatch();
    else if (dice < 0.82) await this.#read();
    else if (dice < 0.9) await this.#list();
    else if (dice < 0.95) await this.#change('cancel');
    else await this.#change('retry');
  }

  async #submit(): Promise<void> {
    const submission = this.#draw(this.#tenant());
    await this.#send(submission, this.#random.next() < 0.05 ? this.#random.int(20) : undefined);
  }

  /** The same key again: the same request, or one of other content, through whichever node. */
  async #sendAgain(): Promise<void> {
    const keyed = this.#history.submissions.filter(({ key }) => key !== null);
    const before = keyed[this.#random.int(Math.max(1, keyed.length))];
    if (before === undefined) return;
    const { tenant, key } = before;
    if (this.#random.next() < 0.7) {
      const { job, unique, input } = before;
      await this.#send({ tenant, key, job, unique, input, isOfBatch: false });
    } else await this.#send({ ...this.#draw(tenant), key });
  }

  async #submitBatch(): Promise<void> {
    const tenant = this.#tenant();
    const items = Array.from({ length: 1 + this.#random.int(8) }, () => {
      return { ...this.#draw(tenant), isOfBatch: true };
    });
    const invokedAt = Date.now();
    const body = { items: items.map(bodyOf) };
    const reply = await this.#client().request('POST', '/runs/batch', { tenant, body });
    this.#notice('POST /runs/batch', reply);
    const { items: answers } = (reply.body ?? {}) as { items?: SubmitAnswer[] };
    for (const [i, item] of items.entries()) {
      const answer = answers?.[i];
      this.#record(item, invokedAt, answer === undefined ? reply : { status: 200, body: answer });
    }
  }

  async #read(): Promise<void> {
    const known = this.#known[this.#random.int(Math.max(1, this.#known.length))];
    if (known === undefined) return;
    const invokedAt = Date.now();
    const { tenant, id } = known;
    const client = this.#client();
    const reply = await client.request('GET', `/runs/${id}`, { tenant });
    this.#notice('GET /runs/{id}', reply);
    // Acknowledged work is never unknown, whoever is asked and whatever has crashed.
    if (reply.status === 404) this.#history.broken.push(`run ${id} of ${tenant} is not found`);
    if (reply.status === 200) this.#show([reply.body], { tenant, node: client.node, invokedAt });
  }

  async #list(): Promise<void> {
    const tenant = this.#tenant();
    const invokedAt = Date.now();
    const client = this.#client();
    const reply = await client.request('GET', '/runs?limit=50', { tenant });
    this.#notice('GET /runs', reply);
    if (reply.status !== 200) return;
    const { items } = reply.body as { items: unknown[] };
    this.#show(items, { tenant, node: client.node, invokedAt });
  }

  async #change(what: 'cancel' | 'retry'): Promise<void> {
    // What is cancelled should still be live.
    const known = what === 'cancel' ? this.#known.slice(-RECENT) : this.#known;
    const one = known[this.#random.int(Math.max(1, known.length))];
    if (one === undefined) return;
    const { tenant, id } = one;
    const reply = await this.#client().request('POST', `/runs/${id}/${what}`, { tenant, body: {} });
    this.#notice(`POST /runs/{id}/${what}`, reply);
    if (what === 'retry' || reply.status !== 200) return;
    const run = reply.body as { id: string; state: string };
    this.#history.cancelled.push({ tenant, id: run.id, answeredAt: Date.now() });
  }

  #show(runs: readonly unknown[], asked: Pick<Shown, 'tenant' | 'node' | 'invokedAt'>): void {
    const answeredAt = Date.now();
    for (const { id, state } of runs as { id: string; state: string }[]) {
      this.#history.shown.push({ ...asked, id, state, answeredAt });
    }
  }

  async #send(submission: Draft, cutAfterMs?: number): Promise<void> {
    const { tenant } = submission;
    const invokedAt = Date.now();
    const cut = cutAfterMs === undefined ? {} : { cutAfterMs };
    const options = { tenant, body: bodyOf(submission), ...cut };
    const reply = await this.#client().request('POST', '/runs', options);
    this.#notice('POST /runs', reply);
    this.#record(submission, invokedAt, reply);
  }

  #record(submission: Draft, invokedAt: number, reply: Reply): void {
    const { status } = reply;
    const body = (reply.body ?? {}) as Partial<SubmitAnswer> & { error?: { code?: string } };
    let answer: Submitted['answer'] = { kind: 'unknown' };
    if (status < 300 && body.id !== undefined) {
      const { id, job = '', created = false, pending = false } = body;
      answer = { kind: 'acknowledged', id, job, created, pending };
      this.#expectStatus(submission, status, answer);
      this.#known.push({ tenant: submission.tenant, id: body.id });
    } else if (status >= 400 && status < 500) {
      answer = { kind: 'refused', status, code: body.error?.code ?? '' };
    }
    this.#history.submissions.push({ ...submission, invokedAt, answeredAt: Date.now(), answer });
  }

  /** A batch has one status for all of its items. */
  #expectStatus(
    { isOfBatch }: Draft,
    status: number,
    { created, pending }: { created: boolean; pending: boolean },
  ): void {
    const expected = pending ? 202 : created ? 201 : 200;
    if (isOfBatch || status === expected) return;
    const flags = JSON.stringify({ created, pending });
    this.#history.broken.push(`POST /runs: ${status} with ${flags}`);
  }

  #notice(what: string, { status, body }: Reply): void {
    if (status < 500 || status === 503) return;
    this.#history.broken.push(`${what}: ${status} ${JSON.stringify(body)}`);
  }

  #draw(tenant: string): Draft {
    const random = this.#random;
    const { keys } = this.#options;
    const job = SUBMITTED[random.int(SUBMITTED.length)] as string;
    return {
      tenant,
      job,
      key: random.next() < 0.5 ? `key-${random.int(keys)}-${random.int(20)}` : null,
      unique: random.next() < 0.15 ? `value-${random.int(4)}` : null,
      input: this.#input(),
      isOfBatch: false,
    };
  }

  #input(): WorkInput {
    const random = this.#random;
    const plans = [undefined, undefined, ['transient'], ['permanent']] as const;
    const plan = plans[random.int(plans.length)];
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

  #tenant(): string {
    const { tenants } = this.#options;
    return tenants[this.#random.int(tenants.length)] as string;
  }

  #client(): Client {
    return this.#clients[this.#random.int(this.#clients.length)] as Client;
  }
}

type Draft = Omit<Submitted, 'invokedAt' | 'answeredAt' | 'answer'>;

interface SubmitAnswer {
  readonly id: string;
  readonly job: string;
  readonly created: boolean;
  readonly pending?: true;
}

function bodyOf({ job, key, unique, input }: Draft): object {
  const named = { ...(key === null ? {} : { key }), ...(unique === null ? {} : { unique }) };
  return { job, ...named, input };
}
