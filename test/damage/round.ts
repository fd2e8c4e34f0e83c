import { parseIdBytes, readRunId } from '@signalbox/engine';
import { runInput } from '@signalbox/node/operations';
import type { DamagedRow, Definition, RowKind } from '@signalbox/store';
import { Box, CALLER, largeInput, TENANT } from './box.ts';
import { type Expected, type KeyedRun, type KnownRun, submitKeyed } from './build.ts';
import type { Damage } from './damage-one.ts';
import type { Copy, Row } from './databases.ts';
import { openStore } from './open.ts';

const DEFINITION_KINDS = ['job', 'schedule', 'calendar', 'trigger', 'hearing', 'key', 'tenant'];

/** Definitions, runs and inbox entries that the damage may concern; all others must be as before. */
interface Concerned {
  isRun(run: KnownRun & { readonly key?: string }, isOpen: boolean): boolean;
  isDefinition(definition: Definition): boolean;
  isEntry(entry: KeyedRun): boolean;
  /** The row has to be read to start or to answer the questions of the check. */
  readonly isRead: boolean;
}

function concerns({ table, row, column, value }: Damage, partitions: Partitions): Concerned {
  const { kind } = table;
  const isJob = kind === 'definition' && row['kind'] === 'job';
  const jobs = new Set(isJob ? [row['name'] as string] : []);
  const stopped = stoppedBy({ kind, row, column, value }, partitions);
  const isStopped = (id: string): boolean => stopped.has(readRunId(parseIdBytes(id)).partition);
  const isKey = (key: string | undefined): boolean => kind === 'key' && row['key'] === key;
  return {
    isRun: ({ id, job, key, isLarge }, isOpen) => {
      if (jobs.has(job) || isKey(key)) return true;
      if (kind === 'blob') return isLarge === true;
      if (kind === 'run' || kind === 'end') {
        return isInRow(row, id) || (MOVING.has(column) && isNear(row, id));
      }
      return (kind === 'parked' && isInRow(row, id)) || (isOpen && isStopped(id));
    },
    isDefinition: ({ tenant, kind: of, name, version }) =>
      kind === 'definition' &&
      row['tenant'] === tenant &&
      row['kind'] === of &&
      row['name'] === name &&
      row['version'] === version,
    isEntry: ({ id, job, key }) =>
      jobs.has(job) || isKey(key) || (kind === 'inbox' && row['id'] === id) || isStopped(id),
    isRead: mustBeRead({ table, row, column }, stopped),
  };
}

/** Columns that decide which ids a row covers. */
const MOVING = new Set(['id', 'count']);

/** Rows that nothing reads at their new place: see the decision record. */
function mustBeRead(
  { table, row, column }: Pick<Damage, 'table' | 'row' | 'column'>,
  stopped: ReadonlySet<number>,
): boolean {
  switch (table.kind) {
    case 'group':
      return stopped.size > 0;
    case 'checkpoint':
      return !table.key.includes(column);
    case 'key':
      return !table.key.includes(column) && row['inbox'] === null;
    case 'parked':
      return column !== 'partition' && column !== 'lane';
    case 'definition':
      return column !== 'kind' || row['kind'] === 'job';
    default:
      return true;
  }
}

/** Partitions whose tail has a group that is damaged or missing; a group can move into another one. */
function stoppedBy(
  { kind, row, column, value }: Pick<Damage, 'row' | 'column' | 'value'> & { kind: RowKind },
  partitions: Partitions,
): ReadonlySet<number> {
  const stopped = new Set<number>();
  if (kind !== 'group') return stopped;
  for (const group of [row, { ...row, [column]: value }]) {
    const partition = group['partition'] as number;
    if ((group['seq'] as number) > (partitions.get(partition) ?? 0)) stopped.add(partition);
  }
  return stopped;
}

/** Checkpoint seq of each partition. */
type Partitions = ReadonlyMap<number, number>;

function isInRow(row: Row, id: string): boolean {
  const wanted = readRunId(parseIdBytes(id));
  const raw = row['id'] as string | Uint8Array;
  const first = readRunId(typeof raw === 'string' ? parseIdBytes(raw) : raw);
  const count = (row['count'] as number | null | undefined) ?? 1;
  return (
    wanted.ms === first.ms &&
    wanted.partition === first.partition &&
    wanted.seq >= first.seq &&
    wanted.seq < first.seq + count
  );
}

/** Of the same millisecond: a row block that begins elsewhere may cover it. */
function isNear(row: Row, id: string): boolean {
  const wanted = readRunId(parseIdBytes(id));
  const raw = row['id'] as string | Uint8Array;
  const first = readRunId(typeof raw === 'string' ? parseIdBytes(raw) : raw);
  return wanted.ms === first.ms && wanted.partition === first.partition;
}

/** What a box on the undamaged store answers. */
export interface Reference {
  readonly runs: ReadonlyMap<string, unknown>;
  readonly definitions: readonly Definition[];
  readonly checkpoints: Partitions;
}

export async function readReference(copy: Copy, expected: Expected): Promise<Reference> {
  const [checkpoints] = copy.tables.filter(({ name }) => name === 'checkpoints');
  const rows = checkpoints === undefined ? [] : await copy.rows(checkpoints);
  const runs = new Map<string, unknown>();
  const box = await Box.open(copy.address, { dataDir: copy.dataDir });
  for (const { id } of [...expected.ended, ...expected.keyed]) runs.set(id, await box.read(id));
  await box.close();
  const definitions = await readDefinitions(copy, [], () => {});
  const seqs = rows.map(({ row }) => [row['partition'] as number, row['seq'] as number] as const);
  return { runs, definitions, checkpoints: new Map(seqs) };
}

/** Reads the row of every run as well: nodes keep runs in memory beyond their end. */
async function readDefinitions(
  { address }: Copy,
  ids: readonly string[],
  found: (rows: readonly DamagedRow[]) => void,
): Promise<Definition[]> {
  const store = await openStore(address);
  for (const id of ids) {
    await store.getRun({ tenant: TENANT, id: readRunId(parseIdBytes(id)) }).catch(String);
  }
  const definitions: Definition[] = [];
  const after = { atMs: 0, tenant: '', name: '', version: 0 };
  for (const kind of DEFINITION_KINDS) {
    definitions.push(...(await store.listDefinitionChanges({ kind, after, limit: 500 })));
  }
  found(await store.listDamagedRows({ after: null, limit: 500 }));
  await store.close();
  return definitions;
}

interface Round {
  readonly copy: Copy;
  readonly damage: Damage;
  readonly expected: Expected;
  readonly reference: Reference;
}

/** Starts on the damaged store, lets everything go on, and returns what is not as it has to be. */
export async function check(round: Round): Promise<string[]> {
  const { copy, damage, reference } = round;
  const concerned = concerns(damage, reference.checkpoints);
  const problems = await checkRuns(round, concerned);
  let rows: readonly DamagedRow[] = [];
  const { ended, keyed, open } = round.expected;
  const ids = [...ended, ...keyed, ...open].map(({ id }) => id);
  const definitions = await readDefinitions(copy, ids, (found) => {
    rows = found;
  });
  for (const definition of reference.definitions) {
    if (concerned.isDefinition(definition)) continue;
    const now = definitions.find((each) => nameOf(each) === nameOf(definition));
    if (JSON.stringify(now) !== JSON.stringify(definition)) {
      problems.push(`definition ${nameOf(definition)} is ${JSON.stringify(now)}`);
    }
  }
  const { kind: damaged } = damage.table;
  if (concerned.isRead && !rows.some(({ kind }) => kind === damaged)) {
    problems.push(`the damaged ${damaged} is not named`);
  }
  for (const { kind, key, error } of rows) {
    if (kind !== damaged) problems.push(`${kind} ${key} is named: ${error}`);
  }
  return problems;
}

async function checkRuns(round: Round, concerned: Concerned): Promise<string[]> {
  const { copy, damage, expected } = round;
  const problems: string[] = [];
  const box = await Box.open(copy.address, { dataDir: copy.dataDir });
  await box.work();
  await checkEnded(round, { box, concerned, problems });
  for (const run of expected.open) {
    if (concerned.isRun(run, true)) {
      await box.read(run.id).catch(String);
      // The row of a run that lives in memory is not read before its end.
      if (damage.table.kind === 'run') await endState(box, run.id);
      if (run.isLarge) await readInput(box, run.id);
      continue;
    }
    const state = await endState(box, run.id);
    if (state !== 'SUCCEEDED') problems.push(`open run ${run.id} of ${run.job} is ${state}`);
  }
  for (const entry of expected.entries) {
    const { id, key } = entry;
    if (concerned.isEntry(entry)) {
      const answer = await box.read(id).catch(codeOf);
      // Only a changed id cannot be told: the entry has no other name.
      const isTold = damage.table.kind === 'inbox' && damage.column === 'id';
      if (answer === 'not_found' && !isTold) problems.push(`entry ${id} does not exist`);
      continue;
    }
    const state = await endState(box, id);
    const [held] = await box.node.context.store.readKeys([{ tenant: TENANT, key }]);
    if (state !== 'SUCCEEDED' || held === undefined) problems.push(`entry ${id} is ${state}`);
  }
  if (box.wrongInputs.length > 0)
    problems.push('a handler received an input that nobody submitted');
  await box.close();
  return problems;
}

interface Checked {
  readonly box: Box;
  readonly concerned: Concerned;
  readonly problems: string[];
}

/** A run that the damage concerns is shown as before, or refused with the reason; nothing else. */
async function checkEnded(
  { expected, reference }: Round,
  { box, concerned, problems }: Checked,
): Promise<void> {
  for (const run of [...expected.ended, ...expected.keyed]) {
    const { id } = run;
    const view = await box.read(id).catch(codeOf);
    const isSame = JSON.stringify(view) === JSON.stringify(reference.runs.get(id));
    if (!isSame && !(view === 'damaged' && concerned.isRun(run, false))) {
      problems.push(`ended run ${id} is ${JSON.stringify(view)}`);
    }
    if (run.isLarge) {
      const input = await readInput(box, id);
      const isWhole = input === 'whole' || (input === 'damaged' && concerned.isRun(run, false));
      if (!isWhole) problems.push(`the input of run ${id} is ${input}`);
    }
  }
  for (const run of expected.keyed) {
    const again = await submitKeyed(box, run.key).catch(codeOf);
    if (again === run.id || concerned.isRun(run, false)) continue;
    problems.push(`the key of run ${run.id} names ${again}`);
  }
}

async function readInput(box: Box, id: string): Promise<string> {
  const input = await runInput(box.node.context, CALLER, { id }).catch(codeOf);
  if (typeof input === 'string') return input;
  const isWhole = [1, 2].some((n) => Buffer.compare(input, largeInput(n)) === 0);
  return isWhole ? 'whole' : 'other bytes';
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? String(error);
}

async function endState(box: Box, id: string): Promise<string> {
  return box.wait(id).then(({ state }) => state, String);
}

function nameOf({ tenant, kind, name, version }: Definition): string {
  return JSON.stringify([tenant, kind, name, version]);
}
