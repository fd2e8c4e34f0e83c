import { inboxId, partitionOf } from '@signalbox/engine';
import { type NodeOptions, packHead } from '@signalbox/node';
import { saveCalendar, saveSchedule, submitRuns } from '@signalbox/node/operations';
import { Box, CALLER, largeInput, PARTITIONS, TENANT } from './box.ts';
import { openStore } from './open.ts';

const ENTRIES = 4;
const PARKED = 6;

export interface KnownRun {
  readonly id: string;
  readonly job: string;
  /** Its input is in a blob. */
  readonly isLarge?: true;
}

export interface KeyedRun extends KnownRun {
  readonly key: string;
}

/** What the store holds before it is damaged. */
export interface Expected {
  readonly ended: readonly KnownRun[];
  /** Ended runs that can be submitted again under their idempotency keys. */
  readonly keyed: readonly KeyedRun[];
  /** They go on to their end when a worker attaches. */
  readonly open: readonly KnownRun[];
  /** Submissions that wait in the inbox. */
  readonly entries: readonly KeyedRun[];
}

export interface Place {
  readonly address: string;
  /** Where the blobs are. */
  readonly dataDir: string;
}

/**
 * A small store of everything: definitions, ended and open runs, a checkpoint and a tail, keys, parked runs,
 * blobs and inbox entries.
 */
export async function build(place: Place): Promise<Expected> {
  const { ended, keyed } = await buildEnded(place);
  // The first of these are in a checkpoint, the last only in the tail.
  const saved = await buildOpen(place, { checkpointFacts: 1 });
  const tail = await buildOpen(place, {});
  // Last: a node with more room in memory would take the parked runs in.
  const parked = await buildParked(place);
  const open = [...saved, ...tail, ...parked];
  return { ended, keyed, open, entries: await buildEntries(place.address) };
}

async function buildEnded({ address, dataDir }: Place): Promise<Pick<Expected, 'ended' | 'keyed'>> {
  const box = await Box.open(address, { dataDir });
  await box.define();
  await box.work();
  const ended = await submit(box, ['echo', 'other', 'pair', 'echo']);
  ended.push(await submitLarge(box, 1));
  const keyed: KeyedRun[] = [];
  for (const n of [1, 2, 3]) {
    const key = `run-${n}`;
    keyed.push({ id: await submitKeyed(box, key), job: 'other', key });
  }
  for (const { id } of [...ended, ...keyed]) await box.wait(id);
  const { context } = box.node;
  const definition = { job: 'other', cron: '0 0 1 1 *', timezone: 'UTC' };
  await saveSchedule(context, CALLER, { name: 'yearly', definition });
  const calendar = { blackouts: ['2030-01-01'] };
  await saveCalendar(context, CALLER, { name: 'closed', calendar });
  await box.close();
  return { ended, keyed };
}

/** The same again is the same run. */
export async function submitKeyed(box: Box, key: string): Promise<string> {
  const items = [{ job: 'other', idempotencyKey: key, inputBytes: Buffer.from('{"n":1}') }];
  const [answer] = await submitRuns(box.node.context, CALLER, { items });
  return (answer as { id: string }).id;
}

async function submitLarge(box: Box, n: number): Promise<KnownRun> {
  const items = [{ job: 'echo', inputBytes: largeInput(n) }];
  const [answer] = await submitRuns(box.node.context, CALLER, { items });
  return { id: (answer as { id: string }).id, job: 'echo', isLarge: true };
}

async function buildOpen(
  { address, dataDir }: Place,
  loop: NonNullable<NodeOptions['loop']>,
): Promise<KnownRun[]> {
  const box = await Box.open(address, { dataDir, loop });
  const runs = await submit(box, ['echo', 'other', 'pair']);
  if (loop.checkpointFacts === undefined) runs.push(await submitLarge(box, 2));
  await box.close();
  return runs;
}

/** Most of them wait in the store, beyond the room in memory. */
async function buildParked({ address, dataDir }: Place): Promise<KnownRun[]> {
  const engine = { queueWindow: 1, pageSize: 1 };
  const box = await Box.open(address, { dataDir, engine });
  const runs: KnownRun[] = [];
  for (let n = 0; n < PARKED; n++) {
    const items = [{ job: 'waiting', inputBytes: Buffer.from(JSON.stringify({ n })) }];
    const [answer] = await submitRuns(box.node.context, CALLER, { items });
    runs.push({ id: (answer as { id: string }).id, job: 'waiting' });
  }
  await box.close();
  return runs;
}

/** Three of each, in one request, so that they share a row where the store does that. */
async function submit(box: Box, jobs: readonly string[]): Promise<KnownRun[]> {
  const runs: KnownRun[] = [];
  for (const job of jobs) {
    const items = [0, 1, 2].map((n) => ({ job, inputBytes: Buffer.from(JSON.stringify({ n })) }));
    const answers = await submitRuns(box.node.context, CALLER, { items });
    for (const { id } of answers) runs.push({ id, job });
  }
  return runs;
}

async function buildEntries(address: string): Promise<Expected['entries']> {
  const store = await openStore(address);
  const ms = await store.now();
  const entries: KeyedRun[] = [];
  for (let n = 0; n < ENTRIES; n++) {
    const job = n % 2 === 0 ? 'echo' : 'other';
    const partition = partitionOf(TENANT, job, PARTITIONS);
    const id = inboxId({ ms: ms + n, partition, randomHigh: n, randomLow: n });
    const key = `entry-${n}`;
    const input = new TextEncoder().encode(JSON.stringify({ n }));
    const head = packHead({}, false);
    const kind = 'submission';
    const place = { id, partition, kind, tenant: TENANT, job, class: 1 } as const;
    await store.putInbox({ ...place, head, input, key, atMs: ms + n });
    entries.push({ id, job, key });
  }
  await store.close();
  return entries;
}
