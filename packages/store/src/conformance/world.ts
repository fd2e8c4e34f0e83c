import { expect, onTestFinished } from 'vitest';
import type { AppendResult, CommitPart } from '../contract/journal.ts';
import type { StoreErrorClass } from '../errors.ts';
import { StoreError } from '../errors.ts';
import type { Snapshot } from '../snapshot.ts';
import type { Store } from '../store.ts';
import { part } from './builders.ts';
import { type ConformanceTarget, waitPast } from './target.ts';

/** What one test has to itself. */
export interface World {
  readonly store: Store;
  /** The store's time at the start; runs of the test are numbered from here on. */
  readonly baseMs: number;
  snapshot(): Promise<Snapshot>;
  waitPast(ms: number): Promise<void>;
  /** Takes a lease that outlasts the test. */
  own(partition: number, owner?: string): Promise<Owned>;
}

/** An owner as it sees itself, superseded or not. */
export interface Owned {
  readonly partition: number;
  readonly owner: string;
  readonly epoch: number;
  lastSeq: number;
  /** The part that this owner would commit next. */
  next(content?: Partial<CommitPart>): CommitPart;
  /** Commits one part and, if that succeeds, counts on. */
  commit(content?: Partial<CommitPart>): Promise<AppendResult>;
}

export const LONG_MS = 600_000;
export const SEGMENT_MS = 60_000;

let commitCount = 0;

export function newCommitId(): string {
  return `commit-${++commitCount}`;
}

export async function openWorld(
  target: ConformanceTarget,
  options: { segmentMs?: number; groupSegmentSize?: number } = {},
): Promise<World> {
  const harness = await target.create({ segmentMs: SEGMENT_MS, groupSegmentSize: 4, ...options });
  onTestFinished(() => harness.close());
  const { store } = harness;
  const baseMs = await store.now();
  await store.ensureSegments({ untilMs: baseMs + (options.segmentMs ?? SEGMENT_MS) });
  return {
    store,
    baseMs,
    snapshot: () => harness.snapshot(),
    waitPast: (ms) => waitPast(harness, ms),
    own: (partition, owner = 'node-a') => own(store, partition, owner),
  };
}

async function own(store: Store, partition: number, owner: string): Promise<Owned> {
  const commitId = newCommitId();
  const answer = await store.acquireLease({ partition, owner, ttlMs: LONG_MS, commitId });
  if (answer.kind !== 'acquired') throw new Error(`partition ${partition} is ${answer.kind}`);
  const { epoch, seq } = answer;
  const owned: Owned = {
    partition,
    owner,
    epoch,
    lastSeq: seq,
    next: (content = {}) => part({ partition, epoch, seq: owned.lastSeq + 1, ...content }),
    commit: async (content) => {
      const result = await store.append({ commitId: newCommitId(), parts: [owned.next(content)] });
      if (result.kind === 'committed') owned.lastSeq += 1;
      return result;
    },
  };
  return owned;
}

/** The lease is let go and another node takes it: what the first one knows is then out of date. */
export async function takeOver(world: World, from: Owned, owner = 'node-b'): Promise<Owned> {
  const { partition, epoch } = from;
  await world.store.releaseLease({ partition, owner: from.owner, epoch });
  return world.own(partition, owner);
}

export async function expectRefused(call: Promise<unknown>, kind: StoreErrorClass): Promise<void> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  expect((error as StoreError).kind).toBe(kind);
}

/** Whatever the call answers, the store holds the same afterwards as before. */
export async function expectUnchanged<T>(world: World, call: () => Promise<T>): Promise<T> {
  const before = await world.snapshot();
  const result = await call();
  expect(await world.snapshot()).toEqual(before);
  return result;
}
