import { StoreError } from '../../errors.ts';
import type { AppendResult, Commit } from '../../store.ts';
import { entriesTaken, takenKeys, wantedKeys } from '../../taken-keys.ts';
import { step } from '../connection/step.ts';
import type { Database } from '../database.ts';
import { readStoredKeys } from '../keys.ts';
import { readLeaseEnds } from '../sql/leases/read-lease-ends.ts';

interface LeaseEnd {
  readonly partition: number;
  readonly epoch: number | null;
  readonly last_seq: number | null;
}

/**
 * The server names the first row it refused; the answer names everything that has to leave the
 * commit. Null when nothing stands in the way any more: whatever did is gone, and the commit may
 * be tried again.
 */
export async function explainRefusal(
  database: Database,
  commit: Commit,
): Promise<AppendResult | null> {
  const partitions = await fencedPartitions(database, commit);
  if (partitions.length > 0) return { kind: 'fenced', partitions };
  const wanted = wantedKeys(commit);
  return takenKeys(wanted, await readStoredKeys(database, wanted), entriesTaken(commit));
}

async function fencedPartitions(database: Database, commit: Commit): Promise<number[]> {
  const wanted = commit.parts.map(({ partition }) => partition);
  const rows = await database.read<LeaseEnd>(
    step(readLeaseEnds(database.schema), 1, (writer) => writer.int4s(wanted)),
  );
  const byPartition = new Map(rows.map((row) => [row.partition, row]));
  return commit.parts
    .filter(({ partition, epoch, seq }) => {
      const end = byPartition.get(partition);
      if (end === undefined || end.epoch !== epoch) return true;
      const lastSeq = end.last_seq ?? 0;
      if (seq > lastSeq + 1) {
        throw new StoreError(
          'invalid',
          `seq ${seq} leaves a gap after ${lastSeq} in partition ${partition}`,
        );
      }
      return seq <= lastSeq;
    })
    .map(({ partition }) => partition);
}
