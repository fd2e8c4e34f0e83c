import {
  decodeGroup,
  entryKey,
  type JobDefinition,
  type PackedFact,
  type Resources,
  type RunId,
} from '@signalbox/engine';
import type { StoredRun } from '@signalbox/store';
import type { HistoryEvent } from './history.ts';
import { readAlias } from './names.ts';
import { type Quiet, quietState } from './quiet.ts';
import type { StreamLog } from './stream-log.ts';
import { MISFITS } from './world/catalogue.ts';
import type { Options } from './world/options.ts';
import type { World } from './world/world.ts';

/** One group of the journal, with the moment of its commit on the reference clock. */
export interface JournalGroup {
  readonly partition: number;
  readonly epoch: number;
  readonly seq: number;
  readonly commitId: string;
  readonly t: number;
  readonly facts: readonly PackedFact[];
  /** Entries that left the inbox with it. */
  readonly taken: readonly string[];
}

/** What the owner of a partition had in memory at the end. */
export interface BookCount {
  readonly partition: number;
  readonly live: number;
  readonly parked: number;
}

/**
 * All that a checker may look at: what observers saw, and what the store holds in the end. Plain
 * data, so that a mutant is a changed copy.
 */
export interface Evidence {
  readonly options: Options;
  readonly events: readonly HistoryEvent[];
  /** By partition, in order of seq. */
  readonly journal: readonly JournalGroup[];
  readonly runs: readonly StoredRun[];
  readonly inbox: readonly string[];
  /** The run that each acknowledged alias leads to. */
  readonly aliases: ReadonlyMap<string, RunId>;
  readonly books: readonly BookCount[];
  readonly jobs: ReadonlyMap<string, JobDefinition>;
  readonly limits: ReadonlyMap<string, number>;
  /** By tenant. */
  readonly weights: ReadonlyMap<string, number>;
  readonly totals: ReadonlyMap<string, Resources>;
  readonly farDueMs: number;
  /** Jobs whose tasks fit on no worker: their runs may stay open. */
  readonly misfits: ReadonlySet<string>;
  /** What watchers of event streams were sent. */
  readonly streams: readonly StreamLog[];
  /** What is left in the memory of the nodes. */
  readonly quiet: Quiet;
  /** What had not come to rest; empty when everything had. */
  readonly restless: readonly string[];
}

export async function gather(world: World): Promise<Evidence> {
  const { memory } = world.disk;
  const commitTimes = new Map<string, number>();
  const takenBy = new Map<string, readonly string[]>();
  for (const event of world.history.events) {
    if (event.kind === 'commit') {
      for (const part of event.parts) {
        commitTimes.set(`${part.partition}/${part.seq}`, event.t);
        takenBy.set(`${part.partition}/${part.seq}`, part.taken ?? []);
      }
    }
    if (event.kind === 'grant') commitTimes.set(`${event.partition}/${event.seq}`, event.t);
  }
  const journal: JournalGroup[] = [];
  const partitions = Array.from({ length: world.options.partitions }, (_, i) => i);
  await world.disk.archive.keepGroups();
  for (const partition of partitions) {
    const groups = world.disk.archive.groups.get(partition) ?? [];
    for (const { epoch, seq, commitId, body } of groups) {
      const t = commitTimes.get(`${partition}/${seq}`) ?? Number.NaN;
      const taken = takenBy.get(`${partition}/${seq}`) ?? [];
      const facts = readFacts(world, partition, body);
      journal.push({ partition, epoch, seq, commitId, t, facts, taken });
    }
  }
  const runs: StoredRun[] = [...world.disk.archive.runs];
  for (const { tenant } of world.catalogue.tenants) {
    runs.push(...(await memory.listRuns({ tenant, before: null, limit: 1e9 })));
  }
  const inbox = await memory.readInbox({ partitions, limit: 1e9 });
  return {
    options: world.options,
    events: world.history.events,
    journal,
    runs,
    inbox: inbox.map((entry) => entry.id),
    aliases: await aliasesOf(world),
    books: await bookCounts(world),
    jobs: new Map(world.catalogue.jobs.map((job) => [job.name, job.definition])),
    limits: new Map(world.catalogue.tenants.map((each) => [each.tenant, each.runningMax])),
    weights: new Map(world.catalogue.tenants.map((each) => [each.tenant, each.weight])),
    totals: new Map(world.workers.map((worker) => [worker.name, worker.total])),
    farDueMs: world.farDueMs,
    misfits: new Set(MISFITS.map(({ name }) => name)),
    streams: world.watchers.logsAtEnd(),
    quiet: await quietState(world),
    restless: restless(world),
  };
}

/** A group that cannot be read keeps its partition from ever being opened again. */
function readFacts(
  { history }: World,
  partition: number,
  body: Uint8Array,
): ReturnType<typeof decodeGroup> {
  try {
    return decodeGroup(partition, body);
  } catch (error) {
    const why = `a group of partition ${partition} cannot be read: ${String(error)}`;
    history.add({ kind: 'fatal', node: 'reader', error: why });
    return [];
  }
}

async function aliasesOf({ history, disk, options }: World): Promise<Map<string, RunId>> {
  const aliases = new Map<string, RunId>();
  const asked = new Map<number, { tenant: string; t: number }>();
  const leaps = history.events.flatMap((event) => (event.kind === 'leap' ? [event.t] : []));
  for (const event of history.events) {
    if (event.kind === 'submit.invoke') asked.set(event.op, event);
    if (event.kind !== 'submit.inbox') continue;
    const { entry, position } = readAlias(event.alias);
    const key = entryKey(entry);
    const { tenant = '', t = 0 } = asked.get(event.op) ?? {};
    const [held] = await disk.memory.readKeys([{ tenant, key }]);
    // Retention drops names, and then another run may take one.
    const isKept = options.wild.keeping === null;
    const leapAt = leaps.find((each) => each > t) ?? Number.POSITIVE_INFINITY;
    const untilMs = Math.min(leapAt, t + (options.wild.keeping?.keysMs ?? 0) / 2);
    const run = isKept ? (held?.run ?? null) : disk.archive.holderOf(tenant, key, { t, untilMs });
    if (run !== null) aliases.set(event.alias, { ...run, seq: run.seq + position });
  }
  return aliases;
}

/** Only owners count: one that was superseded a moment ago may not know it yet. */
async function bookCounts(world: World): Promise<BookCount[]> {
  const leases = await world.disk.memory.listLeases();
  const epochs = new Map(leases.map(({ partition, epoch }) => [partition, epoch]));
  return world.nodes.flatMap((node) => {
    if (node.process === null) return [];
    const { loop } = node.process;
    const books = [...loop.engine.core.books.values()];
    const own = books.filter((book) => book.epoch === epochs.get(book.partition));
    return own.map((book) => {
      const parked = [...book.lanes.values()].reduce((sum, lane) => sum + lane.parked, 0);
      return { partition: book.partition, live: book.runs.size, parked };
    });
  });
}

function restless(world: World): string[] {
  const found: string[] = [];
  for (const [run, far] of world.disk.open) if (!far) found.push(`run ${run} has not ended`);
  for (const id of world.disk.inbox) found.push(`inbox entry ${id} was not taken`);
  for (const worker of world.workers) {
    for (const key of worker.holds.keys()) found.push(`${worker.name} still holds ${key}`);
  }
  for (const { process } of world.nodes) {
    for (const book of process?.loop.engine.core.books.values() ?? []) {
      for (const id of book.notifications.keys()) found.push(`nobody was told ${id}`);
    }
  }
  if (!world.clients.isQuiet) found.push('a client still waits for its answer');
  if (!world.authors.isQuiet) found.push('a deleted schedule is still there');
  return found;
}
