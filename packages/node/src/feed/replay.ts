import {
  type Book,
  decodeGroup,
  type Growth,
  notifiedRun,
  type PackedFact,
  parseDetail,
  type RunId,
  type RunState,
} from '@signalbox/engine';
import { type EndRow, PAGE_BYTES, type StoredRun } from '@signalbox/store';
import { replicasOf } from '../replica/partition-replicas.ts';
import { eventOf, learnGrowth, type NamedRun, type ToldFact } from './event-of.ts';
import type { FeedEvent, StreamContext } from './feed.ts';
import { ListedRuns } from './listed-runs.ts';
import type { Position } from './positions.ts';

const GROUPS_PER_READ = 200;
/** Maximum number of groups that are replayed for one watcher; a longer absence starts from now. */
const GROUPS_MAX = 20_000;

/** The journal does not hold, or would take too long to read, what was missed: read the lists again. */
export class TooOld extends Error {}

export interface ReplayedEvent extends FeedEvent {
  readonly seq: number;
  readonly index: number;
}

interface Question {
  readonly context: StreamContext;
  readonly tenant: string;
  readonly run?: RunId;
  readonly partition: number;
  /** After this … */
  readonly from: Position;
  /** … up to and with this group; null for all that the journal has. */
  readonly to: number | null;
  /** Called when all events of a group have been taken. */
  readonly passed?: (seq: number) => void;
}

/**
 * The events that a watcher missed, from the journal: the same events as live, in order.
 * Throws `TooOld` if the journal may lack some of them.
 */
export async function* replay(question: Question): AsyncGenerator<ReplayedEvent> {
  const { context, partition, from, to } = question;
  const first = from.index === null ? from.seq : from.seq - 1;
  let after = first;
  if (to !== null && to - after > GROUPS_MAX) throw new TooOld();
  const reached = to === null || from.seq > to ? await journalReach(question) : to;
  // The position belongs to another store: no event would ever follow it.
  if (reached < from.seq) throw new TooOld();
  const runs = new RunsOf(question);
  while (to === null || after < to) {
    const limit = to === null ? GROUPS_PER_READ : Math.min(GROUPS_PER_READ, to - after);
    const query = { partition, afterSeq: after, limit, bytes: PAGE_BYTES };
    const groups = await context.store.readGroups(query);
    if (groups.length === 0 && to === null && after >= reached) return;
    if (groups.length === 0 || after - first > GROUPS_MAX) throw new TooOld();
    for (const group of groups) {
      // Groups go by ranges of all partitions: one in the middle may be gone while older ones are kept.
      if (group.seq !== after + 1) throw new TooOld();
      const facts = decodeGroup(partition, group.body);
      runs.groupAtMs = group.atMs;
      await runs.learn(facts);
      for (const [index, packed] of facts.entries()) {
        if (group.seq === from.seq && from.index !== null && index <= from.index) continue;
        const event = await runs.eventOf(packed);
        if (event !== null) yield { ...event, seq: group.seq, index };
      }
      after = group.seq;
      question.passed?.(after);
    }
  }
}

/**
 * How far the journal has come at least. Groups that a checkpoint has passed may have been dropped, also
 * all that follow the position: the journal has come as far all the same.
 */
async function journalReach({ context, partition, from }: Question): Promise<number> {
  const { store } = context;
  if ((await store.readGroup({ partition, seq: from.seq })) !== null) return from.seq;
  return (await store.readCheckpoint(partition))?.seq ?? 0;
}

interface KnownRun extends NamedRun {
  readonly class: 0 | 1 | 2;
  readonly end: EndRow | null;
}

/** The runs that a stretch of the journal speaks of, as far as they are the watcher's. */
class RunsOf {
  readonly #q: Question;
  /** When the group that is read was decided. */
  groupAtMs = 0;
  /** By number; null for another's. */
  readonly #known = new Map<number, KnownRun | null>();
  readonly #listed: ListedRuns;
  /** The first submission of the stretch: runs from before it have smaller ids. */
  #first: RunId | null = null;

  constructor(question: Question) {
    this.#q = question;
    this.#listed = new ListedRuns(question.context, question);
  }

  async learn(facts: readonly PackedFact[]): Promise<void> {
    const { tenant, partition, run } = this.#q;
    for (const packed of facts) {
      if (packed.kind === 'submittedAt') {
        const { ms, seq } = packed.run;
        this.#first ??= { ms, partition, seq };
      }
      const pointers =
        packed.kind === 'submittedAt'
          ? [packed.run]
          : packed.kind === 'pagedInAt'
            ? packed.runs
            : [];
      for (const { seq, ms, tenant: owner } of pointers) {
        if (this.#known.has(seq)) continue;
        const isOurs = owner === tenant && (run === undefined || run.seq === seq);
        const id = { ms, partition, seq };
        this.#known.set(seq, isOurs ? await this.#readOurs(id) : null);
      }
    }
  }

  async eventOf(packed: PackedFact): Promise<FeedEvent | null> {
    if (packed.kind === 'pagedInAt' || packed.kind === 'scheduleFact') return null;
    const seq =
      packed.kind === 'submittedAt'
        ? packed.run.seq
        : packed.kind === 'endedAt'
          ? packed.seq
          : packed.fact.seq;
    const known = await this.#find(seq, packed);
    if (known === null) return null;
    const fact = this.#unpacked(packed, known);
    learnGrowth(known, fact);
    return eventOf(fact, known);
  }

  #unpacked(
    packed: Exclude<PackedFact, { kind: 'pagedInAt' | 'scheduleFact' }>,
    known: KnownRun,
  ): ToldFact {
    const { partition } = this.#q;
    switch (packed.kind) {
      case 'fact':
        return packed.fact;
      case 'submittedAt':
        return { kind: 'runSubmitted', partition, class: known.class };
      case 'endedAt': {
        if (known.end === null) throw new TooOld();
        const state = packed.state as RunState;
        return { kind: 'runEnded', partition, at: packed.at, state, detail: known.end.detail };
      }
    }
  }

  async #find(seq: number, packed: PackedFact): Promise<KnownRun | null> {
    const { tenant, partition, run } = this.#q;
    let known = this.#known.get(seq);
    if (known !== undefined) return known;
    const named = nameIn(packed);
    if (run !== undefined) known = run.seq === seq ? await this.#readOurs(run) : null;
    else if (named !== null) known = await this.#readNamed(named);
    else {
      const live = (await this.#book())?.runs.get(seq);
      if (live !== undefined) {
        const id = { ms: live.ms, partition, seq };
        known = live.spec.tenant === tenant ? await this.#readOurs(id) : null;
      } else known = await this.#findListed(seq);
    }
    this.#known.set(seq, known);
    return known;
  }

  /** Submitted before the stretch and ended within it: only the tenant's own list may know it. */
  async #findListed(seq: number): Promise<KnownRun | null> {
    const row = await this.#listed.find(seq, this.#first);
    if (row === 'unknown' || (row === null && this.#mayBeDropped())) throw new TooOld();
    return row === null ? null : this.#asKnown(row);
  }

  /**
   * A run that is not there is another tenant's, or retention has dropped it: nothing tells them apart. But
   * a run is kept for as long as facts are after all of its segment have ended.
   */
  #mayBeDropped(): boolean {
    const { loop, factsMs = Number.POSITIVE_INFINITY } = this.#q.context;
    return this.groupAtMs <= loop.time.now() - factsMs;
  }

  /** The journal says whose it is: where there is no row, retention has dropped it. */
  async #readOurs(id: RunId): Promise<KnownRun> {
    const known = await this.#read(id);
    if (known === null) throw new TooOld();
    return known;
  }

  /** A notification may be recorded long after the end of its run, when the run's segment is deleted. */
  async #readNamed({ id, tenant }: Named): Promise<KnownRun | null> {
    if (tenant === this.#q.tenant) return this.#readOurs(id);
    const known = tenant === undefined ? await this.#read(id) : null;
    if (known === null && tenant === undefined && this.#mayBeDropped()) throw new TooOld();
    return known;
  }

  async #read(id: RunId): Promise<KnownRun | null> {
    const { context, tenant } = this.#q;
    const row = await context.store.getRun({ tenant, id });
    return row === null ? null : this.#asKnown(row);
  }

  async #asKnown({ run, end }: StoredRun): Promise<KnownRun> {
    const { tenant, job, jobVersion: version } = run;
    const spec = await this.#q.context.loop.specs.load({ tenant, job, version });
    return { id: run.id, spec, class: run.class, end, growth: await this.#growthOf(run.id, end) };
  }

  /** Tasks that were added before the replayed range; facts in the range add the others. */
  async #growthOf({ ms, seq }: RunId, end: EndRow | null): Promise<Growth[]> {
    if (end !== null) return [...parseDetail(end.detail, ms).growth];
    return [...((await this.#book())?.runs.get(seq)?.graph?.growth ?? [])];
  }

  /** The live runs of the partition: of its owner from memory, of another from the journal. */
  async #book(): Promise<Book | undefined> {
    const { loop, store } = this.#q.context;
    const { partition } = this.#q;
    if (loop.owns(partition)) return loop.engine.core.books.get(partition);
    return (await replicasOf(loop, store).read(partition)).book;
  }
}

/** A notification may be recorded long after its run, which may be older than any list that is read. */
function nameIn(packed: PackedFact): Named | null {
  if (packed.kind !== 'fact' || packed.fact.kind !== 'notificationDone') return null;
  const { id: notification, tenant } = packed.fact;
  const id = notifiedRun(notification);
  return id === null ? null : { id, tenant };
}

interface Named {
  readonly id: RunId;
  /** Absent in groups of an earlier version. */
  readonly tenant: string | undefined;
}
