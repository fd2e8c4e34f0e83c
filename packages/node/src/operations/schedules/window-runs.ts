import { formatRunId, type RunHead, type WindowHead } from '@signalbox/engine';
import type { StoredRun } from '@signalbox/store';
import { ApiError, type NodeContext } from '../../context.ts';

const ROWS_PER_READ = 500;
/** Rows looked at for one page: a job with much other work must not cost all of its history. */
const LOOK_MAX = 20_000;

export interface WindowRun {
  readonly id: string;
  readonly ms: number;
  readonly window: WindowHead;
}

/** Runs of windows of one schedule, newest first. */
export async function windowRuns(
  { store }: NodeContext,
  tenant: string,
  of: { job: string; schedule: string; sinceMs: number; limit: number },
): Promise<WindowRun[]> {
  const { job, schedule, sinceMs, limit } = of;
  const found: WindowRun[] = [];
  let before: StoredRun['run']['id'] | null = null;
  for (let looked = 0; looked < LOOK_MAX && found.length < limit; looked += ROWS_PER_READ) {
    const query = { tenant, job, before, limit: ROWS_PER_READ, withPayloads: false };
    const rows: StoredRun[] = await store.listRuns(query);
    for (const { run } of rows) {
      if (run.id.ms < sinceMs) return found;
      if (!run.head.includes('"window"')) continue;
      const { window } = JSON.parse(run.head) as RunHead;
      if (window?.schedule !== schedule) continue;
      found.push({ id: formatRunId(run.id), ms: run.id.ms, window });
      if (found.length === limit) return found;
    }
    before = rows.at(-1)?.run.id ?? null;
    if (rows.length < ROWS_PER_READ) return found;
  }
  if (found.length < limit && sinceMs > 0) {
    throw new ApiError(
      'too_large',
      'the job has too many runs since then: ask for a shorter range',
    );
  }
  return found;
}
