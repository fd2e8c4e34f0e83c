import { type Answer, inboxId, partitionOf, type RunId } from '@signalbox/engine';
import { StoreError } from '@signalbox/store';
import { drawJob, type Tenant } from './catalogue.ts';
import type { ClientLine } from './client-line.ts';
import type { SimNode } from './node.ts';
import { chance, pick } from './streams.ts';
import type { World } from './world.ts';

interface Op {
  readonly op: number;
  readonly tenant: string;
  readonly job: string;
  readonly class: 0 | 1 | 2 | null;
  readonly key: string | null;
  readonly unique: string | null;
  readonly dueAt: number;
  tries: number;
  /** Some try may have been accepted. */
  unsure: boolean;
}

type SubmitEnd =
  | { readonly kind: 'submit.ok'; readonly id: RunId; readonly duplicate: boolean }
  | { readonly kind: 'submit.inbox'; readonly alias: string }
  | { readonly kind: 'submit.fail' | 'submit.info' };

const TRIES_MAX = 8;
const encoder = new TextEncoder();

/**
 * Clients that submit. One with an idempotency key repeats until it knows; one without asks once
 * more only where it was certainly refused. When no owner answers, the inbox takes it.
 */
export class Submitters {
  /** Runs that somebody was told of. */
  readonly known: { readonly tenant: string; readonly id: RunId }[] = [];
  readonly #world: World;
  readonly #line: ClientLine;
  readonly #keys: Op[] = [];
  #ops = 0;
  #pending = 0;

  constructor(world: World, line: ClientLine) {
    this.#world = world;
    this.#line = line;
  }

  get isQuiet(): boolean {
    return this.#pending === 0;
  }

  begin(): void {
    this.#line.every(this.#world.options.submitEveryMs, () => {
      const { burst } = this.#world.options;
      const count = chance(this.#line.dice, 0.01) ? burst : 1;
      for (let i = 0; i < count; i++) this.#invoke(this.#draw());
      this.begin();
    });
  }

  /** One submission that a scenario asks for, with a key, so that it gets through. */
  submit(tenant: string, job: string, dueAt = 0): void {
    const op = ++this.#ops;
    const asked = { op, tenant, job, key: `k${op}`, unique: null, dueAt };
    this.#world.history.add({ kind: 'submit.invoke', ...asked });
    this.#invoke({ ...asked, class: null, tries: 0, unsure: false });
  }

  #draw(): Op {
    const { options, catalogue, history } = this.#world;
    const { dice } = this.#line;
    // A client that lost its answer and its memory: the same key, once more, much later.
    if (this.#keys.length > 0 && chance(dice, 0.04)) {
      return { ...pick(dice, this.#keys), tries: 0, unsure: true };
    }
    const op = ++this.#ops;
    const { tenant } = this.#drawTenant();
    const job = drawJob(dice, catalogue.jobs).name;
    const key = chance(dice, options.keyShare) ? `k${op}` : null;
    const dueAt = this.#drawDueAt();
    const klass = chance(dice, 0.1) ? (dice.int(3) as 0 | 1 | 2) : null;
    const unique = chance(dice, 0.06) ? `u${dice.int(3)}` : null;
    history.add({ kind: 'submit.invoke', op, tenant, job, key, unique, dueAt });
    return { op, tenant, job, class: klass, key, unique, dueAt, tries: 0, unsure: false };
  }

  /** A tenant under a limit gets less to do: its backlog would outlive every seed. */
  #drawTenant(): Tenant {
    const { tenants } = this.#world.catalogue;
    const drawn = pick(this.#line.dice, tenants);
    const isSpared = drawn.runningMax < 10 && chance(this.#line.dice, 0.75);
    return isSpared ? (tenants[0] as Tenant) : drawn;
  }

  /** Most are due at once, some soon, a few when no world lives any more. */
  #drawDueAt(): number {
    const { options, disk, farDueMs } = this.#world;
    const { dice } = this.#line;
    if (!chance(dice, options.dueShare)) return 0;
    if (chance(dice, 0.05)) return farDueMs + dice.int(10_000_000);
    return disk.nowMs + Math.round(pick(dice, [5_000, 60_000, 400_000]) * dice.next());
  }

  #invoke(op: Op): void {
    this.#pending++;
    this.#try(op);
  }

  #try(op: Op): void {
    op.tries++;
    if (op.tries > TRIES_MAX) {
      return this.#settle(op, { kind: op.unsure ? 'submit.info' : 'submit.fail' });
    }
    if (op.tries > 2 && chance(this.#line.dice, 0.5)) return void this.#putInbox(op);
    const partition = partitionOf(op.tenant, op.job, this.#world.options.partitions);
    const node = this.#line.ownerOf(partition);
    if (node === null) return this.#line.later(1_500, () => this.#try(op));
    const submit = () => this.#submitAt(node, op, partition);
    this.#line.ask(node, submit, (answer) => this.#told(op, answer));
  }

  async #submitAt(node: SimNode, op: Op, partition: number): Promise<Answer> {
    const { process } = node;
    if (process === null) return UNAVAILABLE;
    const { loop } = process;
    const { coverage } = this.#world;
    const { tenant } = op;
    const spec = await loop.specs.newest(tenant, op.job);
    if (spec === null) throw new Error(`no job ${op.job}`);
    const inMemory = op.key !== null && loop.engine.core.keys.get(tenant, op.key) !== undefined;
    const head = { ...(op.key === null ? {} : { key: op.key }), ...headOf(op) };
    const answer = await loop.execute({
      kind: 'submit',
      partition,
      spec,
      head,
      ...(op.class === null ? {} : { class: op.class }),
      input: inputOf(op),
    });
    if (answer.kind === 'duplicate') {
      if (inMemory) coverage.sometimes('key answered from memory');
      else if (op.unique !== null) coverage.sometimes('unique merged');
    }
    return answer;
  }

  #told(op: Op, answer: Answer | null): void {
    if (answer === null || (answer.kind === 'refused' && answer.code === 'unknown')) {
      op.unsure = true;
      if (op.key !== null) return this.#line.later(2_000, () => this.#try(op));
      return this.#settle(op, { kind: 'submit.info' });
    }
    if (answer.kind === 'refused') return this.#line.later(1_500, () => this.#try(op));
    if (answer.kind === 'done') throw new Error('a submission was answered with done');
    const { partition, seq, ms } = answer;
    const id = { ms, partition, seq };
    this.known.push({ tenant: op.tenant, id });
    this.#settle(op, { kind: 'submit.ok', id, duplicate: answer.kind === 'duplicate' });
  }

  async #putInbox(op: Op): Promise<void> {
    const { dice, store } = this.#line;
    const { tenant, job } = op;
    const partition = partitionOf(tenant, job, this.#world.options.partitions);
    const atMs = this.#world.disk.nowMs;
    const random = () => dice.int(2 ** 32);
    const id = inboxId({ ms: atMs, partition, randomHigh: random(), randomLow: random() });
    const klass = op.class ?? this.#world.catalogue.job(job).definition.class ?? 1;
    const head = JSON.stringify(headOf(op));
    const entry = { id, partition, tenant, job, class: klass, head, key: op.key, atMs };
    try {
      const result = await store.putInbox({ ...entry, input: inputOf(op) });
      if (result.kind === 'run') {
        return this.#settle(op, { kind: 'submit.ok', id: result.run, duplicate: true });
      }
      const alias = result.kind === 'waiting' ? result.entry.id : id;
      this.#settle(op, { kind: 'submit.inbox', alias });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.kind === 'unknown') op.unsure = true;
      // Without a key a second entry could become a second run.
      if (error.kind === 'unknown' && op.key === null) {
        return this.#settle(op, { kind: 'submit.info' });
      }
      this.#line.later(2_000, () => this.#try(op));
    }
  }

  #settle(op: Op, event: SubmitEnd): void {
    this.#pending--;
    // What was refused for good is not asked for again: then it would have been no refusal.
    if (op.key !== null && event.kind !== 'submit.fail') this.#keys.push(op);
    this.#world.history.add({ ...event, op: op.op });
  }
}

const UNAVAILABLE: Answer = { kind: 'refused', code: 'unavailable', message: 'not here' };

function headOf(op: Op): { unique?: string; dueAt?: number } {
  return {
    ...(op.unique === null ? {} : { unique: op.unique }),
    ...(op.dueAt === 0 ? {} : { dueAt: op.dueAt }),
  };
}

/** Names the operation that asked for the run: how the checker tells whose it is. */
function inputOf(op: { readonly op: number }): Uint8Array {
  return encoder.encode(`op ${op.op}`);
}
