import { parseRunId, partitionOf } from '@signalbox/engine';
import { ApiError } from '@signalbox/node/context';
import { submitRuns } from '@signalbox/node/operations';
import type { Submitted } from '@signalbox/protocol';
import type { ClientLine } from './client-line.ts';
import { callerOf } from './front-door.ts';
import type { SimNode } from './node.ts';
import { itemOf, type Op, type Request, Requests } from './requests.ts';
import { chance, pick } from './streams.ts';
import type { World } from './world.ts';

/** A run, or an alias of one, that somebody was told of. */
export interface Known {
  readonly tenant: string;
  readonly op: number;
  readonly job: string;
  readonly name: string;
  /** Its input rests as a blob. */
  readonly isBlob: boolean;
}

type Told = readonly Submitted[] | 'refused' | 'unknown' | 'conflict';

const TRIES_MAX = 8;

/**
 * Clients that submit. A request with keys is repeated until its outcome is known; one without is
 * sent again only after a certain refusal. Most ask the owner, some ask any node.
 */
export class Submitters {
  readonly known: Known[] = [];
  readonly requests: Requests;
  readonly #world: World;
  readonly #line: ClientLine;
  #repeatable: { readonly request: Request; readonly since: number }[] = [];
  #pending = 0;
  /** Counts how often everybody has given up what they had asked for. */
  #age = 0;

  constructor(world: World, line: ClientLine) {
    this.#world = world;
    this.#line = line;
    this.requests = new Requests(world, line.dice);
  }

  get isQuiet(): boolean {
    return this.#pending === 0;
  }

  begin(): void {
    this.#line.every(this.#world.options.submitEveryMs, () => {
      const { burst } = this.#world.options;
      const count = chance(this.#line.dice, 0.01) ? burst : 1;
      for (let i = 0; i < count; i++) this.#next();
      this.begin();
    });
  }

  /** One submission that a scenario asks for; its client does not give up, so that it gets through. */
  submit(tenant: string, job: string, dueAt = 0): void {
    this.send({ ...this.requests.plain(tenant, job, dueAt), tries: Number.NEGATIVE_INFINITY });
  }

  /** Days pass: whatever was asked for is not asked for again, because its key may be forgotten. */
  forgetAll(): void {
    this.#repeatable = [];
    this.#age++;
  }

  /** A request of its own. */
  send(request: Request): void {
    const { tenant, key, ops } = request;
    for (const op of ops) {
      const { class: _, isBlob: __, ...wants } = op;
      const event = { kind: 'submit.invoke', tenant, request: key, ...wants } as const;
      this.#world.history.add(event);
      this.#cover(request, op.key);
    }
    this.#begin(request);
  }

  #next(): void {
    // A client that lost its answer and its memory: the same request, once more, much later.
    this.#forgetOld();
    if (this.#repeatable.length > 0 && chance(this.#line.dice, 0.04)) {
      const { request } = pick(this.#line.dice, this.#repeatable);
      for (const { op } of request.ops) this.#world.history.add({ kind: 'submit.again', op });
      return this.#begin({ ...request, tries: 0, unsure: true });
    }
    const { misfitShare } = this.#world.options.wild;
    if (misfitShare > 0 && chance(this.#line.dice, 0.005)) {
      for (const request of this.requests.misfits()) this.send(request);
    }
    this.send(this.requests.draw());
  }

  /** A client knows for how long keys are kept, and repeats nothing after that. */
  #forgetOld(): void {
    const { keeping } = this.#world.options.wild;
    if (keeping === null) return;
    const from = this.#world.clockwork.now - keeping.keysMs / 2;
    this.#repeatable = this.#repeatable.filter(({ since }) => since > from);
  }

  #cover({ key, single, ops }: Request, own: string | null): void {
    const { coverage } = this.#world;
    if (own?.startsWith('p')) coverage.sometimes('key used for several submissions');
    if (!single && key !== null) coverage.sometimes('batch under a key');
    const isMixed = !single && ops.some((op) => op.key !== null || op.unique !== null);
    if (isMixed && key !== null) coverage.sometimes('keys and unique values in a keyed batch');
  }

  #begin(request: Request): void {
    this.#pending++;
    request.age = this.#age;
    this.#try(request);
  }

  #try(request: Request): void {
    request.tries++;
    if (request.tries > TRIES_MAX || request.age !== this.#age)
      return this.#end(request, request.unsure ? 'unknown' : 'refused');
    const node = this.#nodeFor(request);
    if (node === null) return this.#line.later(1_500, () => this.#try(request));
    const ask = () => this.#submitAt(node, request);
    this.#line.ask(node, ask, (told) => this.#told(request, told ?? 'unknown'));
  }

  #nodeFor({ tenant, ops, tries }: Request): SimNode | null {
    const { partitions, wild } = this.#world.options;
    const strayShare = tries > 2 ? 0.5 : wild.strayShare;
    if (chance(this.#line.dice, strayShare)) return this.#line.anyNode();
    return this.#line.ownerOf(partitionOf(tenant, ops[0]?.job ?? '', partitions));
  }

  async #submitAt({ process }: SimNode, request: Request): Promise<Told> {
    if (process === null) return 'refused';
    const { tenant, ops, key, single } = request;
    const inMemory = ops.some((op) => {
      return (
        op.key !== null &&
        process.loop.engine.core.keys.get(tenant, op.key, process.loop.engine.core.now) !==
          undefined
      );
    });
    const params = {
      items: ops.map(itemOf),
      single,
      trace: `op ${ops[0]?.op}`,
      ...(key === null ? {} : { key }),
    };
    try {
      const submitted = await submitRuns(process.front, callerOf(tenant), params);
      const isRepeated = submitted.some(({ created }) => !created);
      if (isRepeated && inMemory) this.#world.coverage.sometimes('key answered from memory');
      const isMerged = submitted.some(({ created }, i) => !created && ops[i]?.unique !== null);
      if (isMerged && !inMemory) this.#world.coverage.sometimes('unique merged');
      return submitted;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'unknown') return 'unknown';
      return error.code === 'idempotency_conflict' ? 'conflict' : 'refused';
    }
  }

  #told(request: Request, told: Told): void {
    if (told === 'unknown') {
      request.unsure = true;
      if (isRepeatable(request)) return this.#line.later(2_000, () => this.#try(request));
    }
    if (told === 'refused') return this.#line.later(1_500, () => this.#try(request));
    this.#end(request, told);
  }

  #end(request: Request, told: Told): void {
    this.#pending--;
    const { history, coverage } = this.#world;
    if (told === 'conflict') coverage.sometimes('key of another job refused');
    // What was refused for good is not asked for again: then it would have been no refusal.
    const isOpen = told === 'unknown' || Array.isArray(told);
    const since = this.#world.clockwork.now;
    const isYoung = request.age === this.#age;
    if (isOpen && isYoung && isRepeatable(request)) this.#repeatable.push({ request, since });
    for (const [i, wants] of request.ops.entries()) {
      const { op } = wants;
      if (told === 'unknown') history.add({ kind: 'submit.info', op });
      else if (told === 'conflict' && request.unsure) history.add({ kind: 'submit.info', op });
      else if (told === 'conflict' || told === 'refused') history.add({ kind: 'submit.fail', op });
      else this.#accepted(request, wants, (told as readonly Submitted[])[i] as Submitted);
    }
  }

  #accepted({ tenant }: Request, { op, isBlob }: Op, { id: name, job, created }: Submitted): void {
    const { history } = this.#world;
    this.known.push({ tenant, op, job, name, isBlob });
    const id = parseRunId(name);
    if (id === null) history.add({ kind: 'submit.inbox', op, alias: name, job });
    else history.add({ kind: 'submit.ok', op, id, duplicate: !created, job });
  }
}

/** Under keys nothing of it is made twice. */
function isRepeatable({ key, ops }: Request): boolean {
  return key !== null || ops.every((op) => op.key !== null);
}
