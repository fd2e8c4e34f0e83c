import { decodeGroup, formatRunId, type PackedFact } from '@signalbox/engine';
import { decodeBlobRef } from '@signalbox/protocol';
import type { Group, Store, StoredRun } from '@signalbox/store';
import type { JournalGroup } from '../../../sim/evidence.ts';
import { inputOf } from '../../../sim/names.ts';
import type { DumpedRun } from '../dump.ts';

const PAGE = 500;

/** The whole journal, by partition and in order of seq. Nothing of it has been dropped yet. */
export async function readJournal(
  store: Store,
  partitions: readonly number[],
): Promise<JournalGroup[]> {
  const journal: JournalGroup[] = [];
  for (const partition of partitions) {
    let afterSeq = 0;
    for (;;) {
      const page: Group[] = await store.readGroups({ partition, afterSeq, limit: PAGE });
      for (const { epoch, seq, commitId, body, atMs } of page) {
        const facts: readonly PackedFact[] = decodeGroup(partition, body);
        journal.push({ partition, epoch, seq, commitId, t: atMs, facts, taken: [] });
      }
      const last = page.at(-1);
      if (last === undefined) break;
      afterSeq = last.seq;
    }
  }
  return journal;
}

/**
 * The rows of runs, with their inputs named as the simulator names them: by the operation that asked.
 * The API is asked only what is in a blob.
 */
export async function readRows(
  store: Store,
  tenants: readonly string[],
  dumped: readonly DumpedRun[],
): Promise<StoredRun[]> {
  const submissions = new Map(dumped.map(({ id, submission }) => [id, submission]));
  const runs: StoredRun[] = [];
  for (const tenant of tenants) {
    let before: StoredRun['run']['id'] | null = null;
    for (;;) {
      const page: StoredRun[] = await store.listRuns({ tenant, before, limit: PAGE });
      for (const stored of page) {
        const { run } = stored;
        const submission = submissions.get(formatRunId(run.id)) ?? null;
        if (submission === null) {
          runs.push(stored);
          continue;
        }
        const ref = run.input === null ? null : decodeBlobRef(run.input);
        const inputBytes = ref?.bytes ?? run.inputBytes;
        const input = inputOf(opOfSubmission(submission), inputBytes);
        runs.push({ ...stored, run: { ...run, input, inputBytes } });
      }
      const last = page.at(-1);
      if (last === undefined) break;
      before = last.run.id;
    }
  }
  return runs;
}

/** `s12` is operation 12. */
export function opOfSubmission(submission: string): number {
  return Number(submission.slice(1));
}
