import { parseIdBytes, readRunId } from '@signalbox/engine';
import type { DamagedRow, Definition, RowKind } from '@signalbox/store';
import { Box, TENANT } from './box.ts';
import type { Expected } from './build.ts';
import { damageValue, type Value, WAYS } from './damage-value.ts';
import type { Copy, Row } from './databases.ts';
import { openStore } from './open.ts';
import type { Random } from './random.ts';
import type { Table } from './tables.ts';

const DEFINITION_KINDS = ['job', 'schedule', 'calendar', 'trigger', 'hearing', 'key', 'tenant'];

const UNUSED_IN_BLOCKS = new Set([
  ...['keys', 'input', 'input_bytes'],
  ...['ended_at_ms', 'detail', 'output'],
]);

/** What was damaged. */
export interface Damage {
  readonly table: Table;
  readonly row: Row;
  readonly column: string;
  readonly way: string;
  readonly isCovered: boolean;
}

/** Damages one value of one row, and returns which. */
export async function damageOne(copy: Copy, random: Random, kind?: RowKind): Promise<Damage> {
  const kinds = [...new Set(copy.tables.map((table) => table.kind))];
  const wanted = kind ?? random.pick(kinds);
  for (;;) {
    const table = random.pick(copy.tables.filter((each) => each.kind === wanted));
    const rows = await copy.rows(table);
    if (rows.length === 0) continue;
    const { table: name, row } = random.pick(rows);
    const column = random.pick(table.columns);
    const way = random.pick(WAYS);
    // In a row block its members have their own; these columns are not read.
    if (row['count'] != null && UNUSED_IN_BLOCKS.has(column)) continue;
    const before = row[column] as Value;
    const value =
      typeof before === 'number' && column === 'deleted'
        ? 1 - before
        : damageValue(before, way, random);
    if (value === null || isSame(before, value)) continue;
    const key = Object.fromEntries(table.key.map((part) => [part, row[part] as Value]));
    await copy.change({ table: name, key, column, value });
    // A fence on PostgreSQL has no checksum: it has no facts.
    const isCovered = !('checksum' in row) || row['checksum'] !== null;
    return { table, row, column, way, isCovered };
  }
}

function isSame(a: Value, b: Value): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return a === b;
}

/** Definitions, runs and inbox entries that the damage may concern; all others must be as before. */
interface Concerned {
  readonly jobs: Set<string>;
  isRun(id: string, job: string, isOpen: boolean): boolean;
  isDefinition(definition: Definition): boolean;
  isEntry(id: string, job: string): boolean;
  /** The row has to be read to start or to answer the questions of the check. */
  readonly isRead: boolean;
}

function concerns({ table, row, isCovered, column }: Damage, partitions: Partitions): Concerned {
  const { kind } = table;
  const isJob = kind === 'definition' && row['kind'] === 'job';
  const jobs = new Set(isJob ? [row['name'] as string] : []);
  const partition = row['partition'] as number;
  const isTail = kind === 'group' && (row['seq'] as number) > (partitions.get(partition) ?? 0);
  const isStopping = isTail && (isCovered || column === 'body');
  return {
    jobs,
    isRun: (id, job, isOpen) => {
      if (jobs.has(job)) return true;
      if (kind === 'run' || kind === 'end') return isInRow(row, id);
      return isStopping && isOpen && readRunId(parseIdBytes(id)).partition === partition;
    },
    isDefinition: ({ tenant, kind: of, name, version }) =>
      kind === 'definition' &&
      row['tenant'] === tenant &&
      row['kind'] === of &&
      row['name'] === name &&
      row['version'] === version,
    isEntry: (id, job) =>
      jobs.has(job) ||
      (kind === 'inbox' && row['id'] === id) ||
      (isStopping && readRunId(parseIdBytes(id)).partition === partition),
    isRead: kind === 'group' ? isStopping : isCovered,
  };
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
  const box = await Box.open(copy.address);
  for (const { id } of expected.ended) runs.set(id, await box.read(id));
  await box.close();
  const definitions = await readDefinitions(copy, () => {});
  const seqs = rows.map(({ row }) => [row['partition'] as number, row['seq'] as number] as const);
  return { runs, definitions, checkpoints: new Map(seqs) };
}

async function readDefinitions(
  { address }: Copy,
  found: (rows: readonly DamagedRow[]) => void,
): Promise<Definition[]> {
  const store = await openStore(address);
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
  const definitions = await readDefinitions(copy, (found) => {
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

async function checkRuns(
  { copy, expected, reference }: Round,
  concerned: Concerned,
): Promise<string[]> {
  const problems: string[] = [];
  const box = await Box.open(copy.address);
  await box.work();
  for (const { id, job } of expected.ended) {
    const view = await box.read(id).catch(String);
    if (concerned.isRun(id, job, false)) continue;
    if (JSON.stringify(view) === JSON.stringify(reference.runs.get(id))) continue;
    problems.push(`ended run ${id} is ${JSON.stringify(view)}`);
  }
  for (const { id, job } of expected.open) {
    if (concerned.isRun(id, job, true)) {
      await box.read(id).catch(String);
      continue;
    }
    const state = await endState(box, id);
    if (state !== 'SUCCEEDED') problems.push(`open run ${id} of ${job} is ${state}`);
  }
  for (const { id, job, key } of expected.entries) {
    if (concerned.isEntry(id, job)) continue;
    const state = await endState(box, id);
    const [held] = await box.node.context.store.readKeys([{ tenant: TENANT, key }]);
    if (state !== 'SUCCEEDED' || held === undefined) problems.push(`entry ${id} is ${state}`);
  }
  await box.close();
  return problems;
}

async function endState(box: Box, id: string): Promise<string> {
  return box.wait(id).then(({ state }) => state, String);
}

function nameOf({ tenant, kind, name, version }: Definition): string {
  return JSON.stringify([tenant, kind, name, version]);
}
