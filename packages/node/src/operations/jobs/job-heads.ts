import type { JobSpec } from '@signalbox/engine';
import type { CommitLoop } from '../../loop/index.ts';
import type { StoredJob } from './job-definition.ts';

/** How long another node's change of a job may go unseen here. */
const FRESH_MS = 1_000;
const KEPT = 10_000;

export interface JobHead {
  readonly spec: JobSpec;
  readonly paused: boolean;
}

interface Entry {
  readonly readAt: number;
  readonly head: Promise<JobHead | null>;
  /** Set when it has been read, so that later callers need no promise. */
  known: JobHead | null;
}

/**
 * The newest version of each job that is submitted to, so that a submission does not read it from
 * the store every time. A change on this node is seen at once, one on another within a second.
 */
class JobHeads {
  readonly #loop: CommitLoop;
  readonly #entries = new Map<string, Entry>();

  constructor(loop: CommitLoop) {
    this.#loop = loop;
  }

  /** The newest version if it is known and fresh; null where it must be asked for. */
  known(tenant: string, job: string): JobHead | null {
    const entry = this.#entries.get(`${tenant}\n${job}`);
    const isFresh = entry !== undefined && this.#loop.time.now() - entry.readAt < FRESH_MS;
    return isFresh ? entry.known : null;
  }

  /** Null where there is no such job, or it was deleted. */
  newest(tenant: string, job: string): Promise<JobHead | null> {
    const key = `${tenant}\n${job}`;
    const now = this.#loop.time.now();
    const known = this.#entries.get(key);
    if (known !== undefined && now - known.readAt < FRESH_MS) return known.head;
    const entry: Entry = { readAt: now, head: this.#read(tenant, job), known: null };
    this.#entries.set(key, entry);
    const forget = (): void => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    };
    // Absence is not remembered: a job must be there the moment it has been defined.
    entry.head.then((head) => {
      entry.known = head;
      if (head === null) forget();
    }, forget);
    if (this.#entries.size > KEPT)
      this.#entries.delete(this.#entries.keys().next().value as string);
    return entry.head;
  }

  /** To be called after a change, and before its author is answered. */
  forget(tenant: string, job: string): void {
    this.#entries.delete(`${tenant}\n${job}`);
  }

  async #read(tenant: string, job: string): Promise<JobHead | null> {
    const spec = await this.#loop.specs.newest(tenant, job);
    if (spec === null) return null;
    const stored = this.#loop.specs.definitionOf(spec) as StoredJob | null;
    return { spec, paused: stored?.paused === true };
  }
}

const byLoop = new WeakMap<CommitLoop, JobHeads>();

export function jobHeads(loop: CommitLoop): JobHeads {
  let heads = byLoop.get(loop);
  if (heads === undefined) {
    heads = new JobHeads(loop);
    byLoop.set(loop, heads);
  }
  return heads;
}
