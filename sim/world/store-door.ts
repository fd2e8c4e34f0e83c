import { type Commit, type Store, StoreError } from '@signalbox/store';
import type { Coverage } from '../coverage.ts';
import type { Actor, Clockwork } from './clockwork.ts';
import { between, chance, type Dice } from './streams.ts';

/** How the way between one node and the store is just now. */
export interface StoreWay {
  /** Requests do not arrive. */
  requestsCut: boolean;
  /** Requests arrive, answers do not. */
  answersCut: boolean;
  /** The store answers nobody. */
  away: boolean;
  latencyMs: readonly [number, number];
  /** Share of calls that take far longer than their neighbours. */
  slowShare: number;
  /** Shares of calls that fail: before anything happened, or with the answer lost. */
  errorShare: number;
  unknownShare: number;
  /** Reads that may lag are answered from before. */
  stale: boolean;
}

/** As good as it gets: a call that takes seconds now and then belongs to every other day. */
export function healedWay(): StoreWay {
  return { ...goodWay(), slowShare: 0 };
}

export function goodWay(): StoreWay {
  return {
    requestsCut: false,
    answersCut: false,
    away: false,
    latencyMs: [0.2, 3],
    slowShare: 0.002,
    errorShare: 0,
    unknownShare: 0,
    stale: false,
  };
}

interface Call {
  readonly name: string;
  readonly run: () => Promise<unknown>;
  readonly writes: boolean;
  readonly commit: Commit | null;
  /** The caller was told `unknown` and the request has not arrived yet. */
  lost: boolean;
  /** It can not be carried out any more. */
  void: boolean;
}

const TIMEOUT_MS = 3_000;

/**
 * The store as one node sees it. Between the node and the disk a call can be late, fail before it
 * did anything, be carried out with its answer lost, or arrive long after the caller gave up. The
 * contract of `append` is kept: once `readGroup` has answered, a lost append is void.
 */
export class StoreDoor {
  readonly way: StoreWay;
  readonly store: Store;
  readonly #disk: Store;
  readonly #clockwork: Clockwork;
  readonly #caller: Actor;
  /** The process that asks: an answer never reaches the one that comes after it. */
  readonly #generation: number;
  readonly #desk: Actor;
  readonly #dice: Dice;
  readonly #coverage: Coverage;
  readonly #pending = new Set<Call>();
  readonly #unsure = new Set<string>();
  readonly #staleAnswers = new Map<string, unknown>();

  constructor(params: {
    disk: Store;
    clockwork: Clockwork;
    caller: Actor;
    desk: Actor;
    way: StoreWay;
    dice: Dice;
    coverage: Coverage;
  }) {
    this.#disk = params.disk;
    this.#clockwork = params.clockwork;
    this.#caller = params.caller;
    this.#generation = params.caller.generation;
    this.way = params.way;
    this.#desk = params.desk;
    this.#dice = params.dice;
    this.#coverage = params.coverage;
    this.store = this.#door();
  }

  #door(): Store {
    const door = {} as Record<string, unknown>;
    for (const name of Object.keys(this.#disk) as (keyof Store)[]) {
      door[name] = (argument: unknown) => this.#call(name, argument);
    }
    return door as unknown as Store;
  }

  #call(name: keyof Store, argument: unknown): Promise<unknown> {
    const method = this.#disk[name] as (argument: unknown) => Promise<unknown>;
    const staleKey = mayLag(name, argument) ? `${name}${JSON.stringify(argument)}` : null;
    if (staleKey !== null && this.way.stale && this.#staleAnswers.has(staleKey)) {
      return this.#answerLater(Promise.resolve(this.#staleAnswers.get(staleKey)));
    }
    const call: Call = {
      name,
      run: () => method(argument),
      writes: WRITES.has(name),
      commit: name === 'append' ? (argument as Commit) : null,
      lost: false,
      void: false,
    };
    return new Promise((resolve, reject) => {
      const settle = (act: () => void, lateMs: number) => {
        this.#clockwork.after(lateMs, this.#caller, act);
      };
      const timeout = this.#clockwork.after(TIMEOUT_MS, this.#caller, () => {
        call.lost = true;
        if (call.commit !== null) this.#unsure.add(call.commit.commitId);
        reject(new StoreError(call.writes ? 'unknown' : 'unavailable', `${name} took too long`));
      });
      const answer = (act: () => void) => {
        if (this.way.answersCut || this.way.away) return;
        if (this.#caller.generation !== this.#generation) return;
        settle(() => {
          if (call.lost) return;
          this.#clockwork.cancel(timeout);
          act();
        }, this.#latency());
      };
      const fail = (kind: 'unavailable' | 'unknown') => {
        call.lost = true;
        if (kind === 'unknown' && call.commit !== null) this.#unsure.add(call.commit.commitId);
        this.#clockwork.cancel(timeout);
        settle(() => reject(new StoreError(kind, `${name} failed`)), this.#latency());
      };
      if (chance(this.#dice, this.way.errorShare)) return fail('unavailable');
      if (this.way.requestsCut || this.way.away) return;
      const swallowed = call.writes && chance(this.#dice, this.way.unknownShare);
      const never = swallowed && chance(this.#dice, 0.4);
      if (swallowed) fail('unknown');
      if (never) return;
      this.#pending.add(call);
      // A swallowed call may arrive long after its caller was told.
      const lateMs = swallowed && chance(this.#dice, 0.3) ? between(this.#dice, 0, 4_000) : 0;
      this.#clockwork.deliver(this.#clockwork.now + lateMs + this.#latency(), this.#desk, () => {
        this.#arrive(call, answer, { resolve, reject, staleKey });
      });
    });
  }

  #arrive(
    call: Call,
    answer: (act: () => void) => void,
    caller: {
      resolve: (value: unknown) => void;
      reject: (error: unknown) => void;
      staleKey: string | null;
    },
  ): void {
    this.#pending.delete(call);
    if (call.void) return;
    call.run().then(
      (value) => {
        if (call.name === 'readGroup') this.#readBack(value);
        if (caller.staleKey !== null && !this.way.stale) {
          this.#staleAnswers.set(caller.staleKey, value);
        }
        answer(() => caller.resolve(value));
      },
      (error) => answer(() => caller.reject(error)),
    );
  }

  /** Answering `readGroup` settles what became of lost appends: what is not there never will be. */
  #readBack(found: unknown): void {
    const commitId = (found as { commitId: string } | null)?.commitId;
    if (commitId !== undefined && this.#unsure.delete(commitId)) {
      this.#coverage.sometimes('commit unknown resolved as committed');
    }
    for (const call of this.#pending) {
      if (call.commit === null || !call.lost) continue;
      call.void = true;
      this.#coverage.sometimes('late append voided');
    }
    if (this.#unsure.size > 0) this.#coverage.sometimes('commit unknown resolved as absent');
    this.#unsure.clear();
  }

  #answerLater(answer: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve) => {
      this.#clockwork.after(this.#latency(), this.#caller, () => resolve(answer));
    });
  }

  #latency(): number {
    const [from, to] = this.way.latencyMs;
    return chance(this.#dice, this.way.slowShare)
      ? between(this.#dice, 100, 5_000)
      : between(this.#dice, from, to);
  }
}

const WRITES: ReadonlySet<string> = new Set([
  'append',
  'acquireLease',
  'beat',
  'releaseLease',
  'writeCheckpoint',
  'putInbox',
  'putDefinition',
  'forgetNode',
  'appendLogs',
  'appendAudit',
]);

/** Polls may lag; what recovery reads, what readers are shown, and a look-up of one entry, is exact. */
const MAY_LAG: ReadonlySet<string> = new Set(['readInbox', 'listDefinitions']);
const POLL_MAX = 500;

function mayLag(name: string, query: unknown): boolean {
  if (name !== 'readInbox') return MAY_LAG.has(name);
  return (query as Parameters<Store['readInbox']>[0]).limit <= POLL_MAX;
}
