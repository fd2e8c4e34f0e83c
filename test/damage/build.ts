import { inboxId, partitionOf } from '@signalbox/engine';
import { packHead } from '@signalbox/node';
import { saveCalendar, saveSchedule, submitRuns } from '@signalbox/node/operations';
import { Box, CALLER, PARTITIONS, TENANT } from './box.ts';
import { openStore } from './open.ts';

const ENTRIES = 4;

export interface KnownRun {
  readonly id: string;
  readonly job: string;
}

/** What the store holds before it is damaged. */
export interface Expected {
  readonly ended: readonly KnownRun[];
  /** They go on to their end when a worker attaches. */
  readonly open: readonly KnownRun[];
  /** Submissions that wait in the inbox. */
  readonly entries: readonly (KnownRun & { readonly key: string })[];
}

/** A small store of everything: definitions, ended and open runs, a checkpoint and a tail, inbox entries. */
export async function build(address: string): Promise<Expected> {
  const ended = await buildEnded(address);
  // The first of these are in a checkpoint, the last only in the tail.
  const saved = await buildOpen(address, { checkpointFacts: 1 });
  const tail = await buildOpen(address, {});
  return { ended, open: [...saved, ...tail], entries: await buildEntries(address) };
}

async function buildEnded(address: string): Promise<KnownRun[]> {
  const box = await Box.open(address);
  await box.define();
  await box.work();
  const runs = await submit(box, ['echo', 'other', 'pair', 'echo']);
  for (const { id } of runs) await box.wait(id);
  const { context } = box.node;
  const definition = { job: 'other', cron: '0 0 1 1 *', timezone: 'UTC' };
  await saveSchedule(context, CALLER, { name: 'yearly', definition });
  const calendar = { blackouts: ['2030-01-01'] };
  await saveCalendar(context, CALLER, { name: 'closed', calendar });
  await box.close();
  return runs;
}

async function buildOpen(
  address: string,
  loop: { readonly checkpointFacts?: number },
): Promise<KnownRun[]> {
  const box = await Box.open(address, loop);
  const runs = await submit(box, ['echo', 'other', 'pair']);
  await box.close();
  return runs;
}

/** Three of each, in one request, so that they share a row where the store does that. */
async function submit(box: Box, jobs: readonly string[]): Promise<KnownRun[]> {
  const runs: KnownRun[] = [];
  for (const job of jobs) {
    const items = [0, 1, 2].map((n) => ({ job, input: Buffer.from(JSON.stringify({ n })) }));
    const answers = await submitRuns(box.node.context, CALLER, { items });
    for (const { id } of answers) runs.push({ id, job });
  }
  return runs;
}

async function buildEntries(address: string): Promise<Expected['entries']> {
  const store = await openStore(address);
  const ms = await store.now();
  const entries: Expected['entries'][number][] = [];
  for (let n = 0; n < ENTRIES; n++) {
    const job = n % 2 === 0 ? 'echo' : 'other';
    const partition = partitionOf(TENANT, job, PARTITIONS);
    const id = inboxId({ ms: ms + n, partition, randomHigh: n, randomLow: n });
    const key = `entry-${n}`;
    const input = new TextEncoder().encode(JSON.stringify({ n }));
    const head = packHead({}, false);
    const place = { id, partition, tenant: TENANT, job, class: 1 as const };
    await store.putInbox({ ...place, head, input, key, atMs: ms + n });
    entries.push({ id, job, key });
  }
  await store.close();
  return entries;
}
