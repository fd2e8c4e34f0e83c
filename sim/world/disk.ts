import {
  type Commit,
  type InboxEntry,
  type Store,
  type StoredRun,
  StoreError,
} from '@signalbox/store';
import { createMemoryStore, type MemoryStore } from '@signalbox/store/memory';
import type { Coverage } from '../coverage.ts';
import type { History } from '../history.ts';
import { runKey } from '../names.ts';
import { Archive } from './archive.ts';
import { MISFITS } from './catalogue.ts';
import type { Clockwork } from './clockwork.ts';

/** Midday of some day: a step of an hour either way stays within the segments that were made. */
const BASE_MS = 1_790_000_000_000 - (1_790_000_000_000 % 86_400_000) + 43_200_000;
const DAYS = 4;

function bytesOf({ parts }: Commit): number {
  return parts.reduce((sum, { body, runs, ends }) => {
    const inputs = runs.reduce((all, { input }) => all + (input?.length ?? 0), 0);
    const outputs = ends.reduce((all, { output }) => all + (output?.length ?? 0), 0);
    return sum + body.length + inputs + outputs;
  }, 0);
}

/** What the store does with commits for a while: it refuses those of so many bytes, and some of the others. */
export interface Refusal {
  /** `unknown`: it hangs up, as on a statement that is too large, and nothing was written. */
  readonly kind: 'invalid' | 'unknown';
  readonly bytesMax: number;
  readonly isDrawn: () => boolean;
}

function isMisfit(job: string): boolean {
  return MISFITS.some(({ name }) => name === job);
}

/**
 * The one durable thing of the world: the memory store, observed. Whatever passes here has really
 * happened; faults are put between this and the nodes, never inside. Nodes have no calendar clock
 * of their own: the loop reads monotonic time and the store's, so a "clock step" is a step of the
 * store's clock.
 */
export class Disk {
  readonly memory: MemoryStore;
  readonly store: Store;
  /** Runs without an end, by key; the value says whether it may stay so: due later, or fits nowhere. */
  readonly open = new Map<string, boolean>();
  readonly inbox = new Set<string>();
  farDueMs = Number.POSITIVE_INFINITY;
  commitBytesMax = 0;
  /** Whether a commit that is too large is refused as such, or looks like a store that is away. */
  refusesLarge = false;
  refusal: Refusal | null = null;
  #excursionMs = 0;
  #offsetMs = 0;
  /** What its steps add up to, and may add up to. */
  #driftMs = 0;
  driftMsMax = Number.POSITIVE_INFINITY;
  readonly archive: Archive;
  readonly #clockwork: Clockwork;
  readonly #history: History;
  readonly #owners = new Map<number, string>();
  readonly #coverage: Coverage;

  constructor(
    world: { clockwork: Clockwork; history: History; coverage: Coverage },
    sizes: { readonly segmentMs?: number; readonly groupSegmentSize?: number } = {},
  ) {
    const { clockwork, history, coverage } = world;
    this.#clockwork = clockwork;
    this.#history = history;
    this.#coverage = coverage;
    this.memory = createMemoryStore({ now: () => this.nowMs, ...sizes });
    this.archive = new Archive(this.memory, {
      clockwork,
      history,
      trueMs: () => this.soonMs,
      isOpen: (run) => this.open.has(runKey(run)),
    });
    this.store = this.archive.before(this.#observed());
  }

  /** The store's clock. */
  get nowMs(): number {
    return this.soonMs + this.#excursionMs;
  }

  /** What the store's clock says when it is not far off. */
  get soonMs(): number {
    return Math.floor(BASE_MS + this.#clockwork.now + this.#offsetMs);
  }

  prepare(): Promise<void> {
    return this.memory.ensureSegments({ untilMs: BASE_MS + DAYS * 86_400_000 });
  }

  step(wantedMs: number): void {
    const byMs = Math.max(
      -this.driftMsMax - this.#driftMs,
      Math.min(this.driftMsMax - this.#driftMs, wantedMs),
    );
    this.#driftMs += byMs;
    this.#offsetMs += byMs;
    this.#history.add({ kind: 'clock.step', byMs });
    this.#coverage.sometimes('store clock stepped');
  }

  /** Time passes while everything is switched off. */
  leap(byMs: number): void {
    this.#offsetMs += byMs;
    this.archive.leapt(byMs);
    this.#history.add({ kind: 'leap', byMs });
  }

  /** Everything that a reader may still be shown, whoever asks. */
  async contents(): Promise<{ runs: StoredRun[]; inbox: InboxEntry[] }> {
    const all = [...this.archive.tenants].map((tenant) =>
      this.memory.listRuns({ tenant, before: null, limit: 1e9 }),
    );
    const partitions = Array.from({ length: 64 }, (_, i) => i);
    const inbox = await this.memory.readInbox({ partitions, limit: 1e9 });
    return { runs: (await Promise.all(all)).flat(), inbox };
  }

  /** How far the store's clock is off from now on; 0 for not at all. */
  excurse(toMs: number): void {
    if (toMs === this.#excursionMs) return;
    this.#history.add({ kind: 'clock.step', byMs: toMs - this.#excursionMs });
    this.#excursionMs = toMs;
  }

  /** Nothing is left that could go on by itself. */
  get isQuiet(): boolean {
    if (this.inbox.size > 0) return false;
    for (const far of this.open.values()) if (!far) return false;
    return true;
  }

  #observed(): Store {
    return {
      ...this.memory,
      append: async (commit) => {
        this.#refuseHuge(commit);
        this.#refuseDrawn(commit);
        const result = await this.memory.append(commit);
        if (result.kind === 'fenced') this.#coverage.sometimes('fenced commit refused');
        if (result.kind === 'committed') this.#committed(commit);
        return result;
      },
      acquireLease: async (request) => {
        const result = await this.memory.acquireLease(request);
        if (result.kind === 'held') return result;
        const { partition, owner } = request;
        const { epoch, seq } = result;
        this.#history.add({ kind: 'grant', partition, epoch, owner, seq });
        const before = this.#owners.get(partition);
        if (before !== undefined && before !== owner) this.#coverage.sometimes('lease taken over');
        this.#owners.set(partition, owner);
        return result;
      },
      readCheckpoint: async (partition) => {
        const checkpoint = await this.memory.readCheckpoint(partition);
        if (checkpoint !== null) this.#coverage.sometimes('checkpoint used at take-over');
        return checkpoint;
      },
      putInbox: async (entry) => {
        const result = await this.memory.putInbox(entry);
        if (result.kind === 'put') this.inbox.add(entry.id);
        return result;
      },
    };
  }

  /** As a database does with a statement that is too large, however often it comes. */
  #refuseHuge(commit: Commit): void {
    if (this.commitBytesMax === 0) return;
    const bytes = bytesOf(commit);
    if (bytes > this.commitBytesMax / 8) this.#coverage.sometimes('large commit');
    if (bytes <= this.commitBytesMax) return;
    if (this.refusesLarge) this.#coverage.sometimes('commit refused as too large');
    const kind = this.refusesLarge ? 'invalid' : 'unavailable';
    throw new StoreError(kind, `${bytes} bytes are too much for one statement`);
  }

  #refuseDrawn(commit: Commit): void {
    if (this.refusal === null) return;
    const { kind, bytesMax, isDrawn } = this.refusal;
    if (bytesOf(commit) <= bytesMax && !isDrawn()) return;
    const name = kind === 'invalid' ? 'commit refused by a fault' : 'store hung up on a commit';
    this.#coverage.sometimes(name);
    throw new StoreError(kind, `the store does not take ${commit.commitId}`);
  }

  #committed(commit: Commit): void {
    const parts = commit.parts.map(({ partition, epoch, seq, inboxTaken }) => {
      const taken = inboxTaken.length === 0 ? {} : { taken: inboxTaken };
      return { partition, epoch, seq, ...taken };
    });
    this.archive.name(commit);
    this.#history.add({ kind: 'commit', commitId: commit.commitId, parts });
    for (const part of commit.parts) {
      for (const run of part.runs) {
        const dueAt = run.head.includes('dueAt') ? (JSON.parse(run.head).dueAt ?? 0) : 0;
        this.open.set(runKey(run.id), dueAt >= this.farDueMs || isMisfit(run.job));
      }
      for (const end of part.ends) this.open.delete(runKey(end.id));
      for (const id of part.inboxTaken) {
        this.#coverage.sometimes('inbox taken');
        this.inbox.delete(id);
      }
      for (const { id } of part.inboxPut ?? []) this.inbox.add(id);
    }
  }
}
