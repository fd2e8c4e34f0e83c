import { entryKey, type JobDefinition, type RunId } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import type { Evidence } from '../../../sim/evidence.ts';
import type { HistoryEvent } from '../../../sim/history.ts';
import { readAlias } from '../../../sim/names.ts';
import { drawOptions } from '../../../sim/world/options.ts';
import { TAME } from '../../../sim/world/wild-options.ts';
import type { Dump } from '../dump.ts';
import type { Execution, History } from '../history.ts';
import { JOBS } from '../jobs.ts';
import type { ModelOptions } from '../options.ts';
import { clientEvents } from './events.ts';
import { storeEvents, workerEvents } from './journal-events.ts';
import { readJournal, readRows } from './rows.ts';

/** What the simulator's checkers may look at, of real processes over a real store. */
export async function gatherEvidence(params: {
  store: Store;
  options: ModelOptions;
  history: History;
  executions: readonly Execution[];
  dump: Dump;
  restless: readonly string[];
}): Promise<Evidence> {
  const { store, options, history, executions, dump, restless } = params;
  const partitions = (await store.listLeases()).map(({ partition }) => partition).sort(ascending);
  const journal = await readJournal(store, partitions);
  const runs = await readRows(store, options.tenants, dump.runs);
  const clients = clientEvents(history, dump);
  const jobs = new Map(Object.entries(JOBS) as [string, JobDefinition][]);
  const taskNames = new Map(
    [...jobs].map(([job, { tasks = [] }]) => [job, tasks.map(({ name = '' }) => name)]),
  );
  const events = [
    ...clients,
    ...storeEvents(journal),
    ...workerEvents({ executions, journal, runs, taskNames }),
    ...(await scheduleEvents(store, options.tenants)),
  ].sort((a, b) => a.t - b.t);
  const inbox = await store.readInbox({ partitions, limit: 1e6 });
  return {
    options: { ...drawOptions(options.seed, 1), ...NOTHING_ELSE, partitions: partitions.length },
    events,
    journal,
    runs,
    inbox: inbox.map(({ id }) => id),
    aliases: await aliasesOf(store, clients),
    jobs,
    misfits: new Set(),
    farDueMs: Number.POSITIVE_INFINITY,
    restless,
    ...NOT_SEEN,
  };
}

const ascending = (a: number, b: number): number => a - b;

/** Neither completion triggers nor events nor retention happen here. */
const NOTHING_ELSE = { follows: false, hears: false, wild: TAME };

/** Of the memory of a process nothing can be seen from outside: checkers that read this do not apply. */
const NOT_SEEN = {
  books: [],
  limits: new Map(),
  weights: new Map(),
  totals: new Map(),
  streams: [],
  quiet: { memory: [], rooms: [], unanswered: [], inputs: [] },
};

/** Every version of every schedule, from the rows of its definitions. */
async function scheduleEvents(store: Store, tenants: readonly string[]): Promise<HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  const kind = 'schedule';
  for (const tenant of tenants) {
    const page = { after: null, limit: 1_000, includeDeleted: true };
    for (const { name } of await store.listDefinitions({ tenant, kind, ...page })) {
      const versions = { tenant, kind, name, after: 0, limit: 100_000 };
      for (const each of await store.listDefinitionVersions(versions)) {
        const { version, deleted, atMs: savedAt } = each;
        const saved = { tenant, name, version, savedAt, deleted };
        events.push({ t: savedAt, kind: 'schedule.saved', ...saved });
      }
    }
  }
  return events;
}

async function aliasesOf(
  store: Store,
  events: readonly HistoryEvent[],
): Promise<Map<string, RunId>> {
  const aliases = new Map<string, RunId>();
  const tenants = new Map<number, string>();
  for (const event of events) {
    if (event.kind === 'submit.invoke') tenants.set(event.op, event.tenant);
  }
  for (const event of events) {
    if (event.kind !== 'submit.inbox') continue;
    const { entry, position } = readAlias(event.alias);
    const key = entryKey(entry);
    const tenant = tenants.get(event.op) ?? '';
    const [held] = await store.readKeys([{ tenant, key }]);
    if (held === undefined) continue;
    aliases.set(event.alias, { ...held.run, seq: held.run.seq + position });
  }
  return aliases;
}
