import {
  type EncodedGroup,
  type EncodedParked,
  type EncodedRun,
  encodeGroup,
} from '../facts/encode-group.ts';
import type { Fact, SubmittedRun } from '../facts/facts.ts';
import type { Book } from '../model/book.ts';
import type { LaneCursor } from '../model/lane.ts';
import type { RunHead } from '../model/run.ts';
import type { JobSpec } from '../model/spec.ts';
import { planRebuild, rebuild, type TailGroup } from '../recover/rebuild.ts';

/** A state of the book at a border between two groups, as `encodeCheckpoint` wrote it. */
export interface SavedCheckpoint {
  readonly groupCount: number;
  readonly chunks: readonly Uint8Array[];
}

/** The rows and groups of one partition, kept as simply as can be. */
export class FakeStore {
  readonly groups: TailGroup[] = [];
  readonly encoded: EncodedGroup[] = [];
  readonly ended = new Set<number>();
  readonly #partition: number;
  readonly #rows = new Map<number, EncodedRun>();
  readonly #parked: EncodedParked[] = [];
  readonly #specs = new Map<string, JobSpec>();

  constructor(partition: number) {
    this.#partition = partition;
  }

  append(params: { epoch: number; at: number; facts: readonly Fact[] }): void {
    const mine = params.facts.filter((fact) => fact.partition === this.#partition);
    if (mine.length === 0) return;
    for (const fact of mine) {
      if (fact.kind !== 'runSubmitted') continue;
      const { spec } = fact.run;
      this.#specs.set(specKey(spec.tenant, spec.job, spec.version), spec);
    }
    const group = encodeGroup({ partition: this.#partition, at: params.at, facts: mine });
    this.encoded.push(group);
    this.groups.push({ epoch: params.epoch, body: group.body.slice() });
    for (const run of group.runs) this.#rows.set(run.id.seq, run);
    for (const end of group.ends) this.ended.add(end.id.seq);
    this.#parked.push(...group.parked);
    this.#parked.sort(inOrder);
  }

  /** As the contract of the real stores says: ended runs are left out but move the cursor. */
  readParked(query: { lane: string; after: LaneCursor | null; upTo: number; limit: number }): {
    runs: SubmittedRun[];
    cursor: LaneCursor | null;
    exhausted: boolean;
  } {
    const { lane, after, upTo, limit } = query;
    const behind = this.#parked.filter(
      (row) => row.lane === lane && row.sort <= upTo && (after === null || isAfter(row, after)),
    );
    const page = behind.slice(0, limit);
    const last = page.at(-1);
    return {
      runs: page
        .filter((row) => !this.ended.has(row.id.seq))
        .map((row) => this.submitted(row.id.seq)),
      cursor: last === undefined ? null : { sort: last.sort, ms: last.id.ms, seq: last.id.seq },
      exhausted: page.length === behind.length,
    };
  }

  /** Runs that were parked when they were submitted, and where. */
  parkedRuns(): { seq: number; lane: string }[] {
    return this.#parked.map((row) => ({ seq: row.id.seq, lane: row.lane }));
  }

  submitted(seq: number): SubmittedRun {
    const row = this.#rows.get(seq);
    if (row === undefined) throw new RangeError(`there is no row of run ${seq}`);
    return {
      seq,
      ms: row.id.ms,
      spec: this.findSpec(row.tenant, row.job, row.jobVersion),
      head: row.head === '' ? {} : (JSON.parse(row.head) as RunHead),
      class: row.class,
      input: null,
      inputBytes: row.inputBytes,
    };
  }

  findSpec(tenant: string, job: string, version: number): JobSpec {
    const spec = this.#specs.get(specKey(tenant, job, version));
    if (spec === undefined) throw new RangeError(`there is no job ${tenant}/${job}/${version}`);
    return spec;
  }

  /** What another node would read: the checkpoint if there is one, the groups after it, live rows. */
  rebuild(epoch: number, checkpoint: SavedCheckpoint | null = null): Book {
    const plan = planRebuild({
      partition: this.#partition,
      chunks: checkpoint?.chunks ?? [],
      tail: this.groups.slice(checkpoint?.groupCount ?? 0),
    });
    const rows = new Map(plan.needed.map(({ seq }) => [seq, this.submitted(seq)]));
    const findSpec = (tenant: string, job: string, version: number) =>
      this.findSpec(tenant, job, version);
    return rebuild(plan, { epoch, rows, findSpec });
  }
}

function specKey(tenant: string, job: string, version: number): string {
  return JSON.stringify([tenant, job, version]);
}

function inOrder(a: EncodedParked, b: EncodedParked): number {
  return a.sort - b.sort || a.id.ms - b.id.ms || a.id.seq - b.id.seq;
}

function isAfter({ sort, id }: EncodedParked, cursor: LaneCursor): boolean {
  return (sort - cursor.sort || id.ms - cursor.ms || id.seq - cursor.seq) > 0;
}
