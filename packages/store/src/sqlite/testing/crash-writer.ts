// A process to be killed: commits one group after the other and names each on standard output
// only when it is durable. Arguments: the file, and the number of this life.
import { writeSync } from 'node:fs';
import { endRow, part, runRow } from '../../conformance/builders.ts';
import { createSqliteStore } from '../create-sqlite-store.ts';

/** Runs of one commit; each has a key and an end in the same commit. */
const RUN_COUNT = 20;

const [path, life] = process.argv.slice(2) as [string, string];
const store = await createSqliteStore({ path, groupSegmentSize: 16 });
await store.migrate();
const nowMs = Date.now();
await store.ensureSegments({ untilMs: nowMs });
const commitId = `life ${life}, fence`;
const lease = await store.acquireLease({ partition: 1, owner: 'writer', ttlMs: 1_000, commitId });
if (lease.kind !== 'acquired') throw new Error(`the lease is ${lease.kind}`);

for (let seq = lease.seq + 1; ; seq++) {
  const runs = Array.from({ length: RUN_COUNT }, (_, i) =>
    runRow({ ms: nowMs, partition: 1, seq: seq * RUN_COUNT + i }, { keys: [`${seq}/${i}`] }),
  );
  const ends = runs.map((run) => endRow(run));
  const next = part({ partition: 1, epoch: lease.epoch, seq, runs, ends, factCount: RUN_COUNT });
  const result = await store.append({ commitId: `life ${life}, ${seq}`, parts: [next] });
  if (result.kind !== 'committed') throw new Error(`commit ${seq} is ${result.kind}`);
  // Not console.log: what is written here has left the process when the next line runs.
  writeSync(1, `${seq} ${nowMs}\n`);
}
