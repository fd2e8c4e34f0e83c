import type { Client } from './client.ts';
import type { Submitted, WorkInput } from './history.ts';

/** A run as the product shows it after everything has come to rest. */
export interface DumpedRun {
  readonly id: string;
  readonly tenant: string;
  readonly job: string;
  readonly state: string;
  readonly submittedMs: number;
  readonly endedMs: number;
  readonly trigger: string;
  /** The window of its schedule, or null. */
  readonly window: number | null;
  /** Which submission its input came from; a nested or retried run shares it with another. */
  readonly submission: string | null;
  readonly tasks: readonly {
    readonly state: string;
    readonly attempts: readonly { readonly id: string; readonly outcome: string | null }[];
  }[];
  readonly outputNonce: string | null;
}

export interface Window {
  readonly at: number;
  readonly state: string;
}

export interface Dump {
  readonly runs: readonly DumpedRun[];
  /** What each acknowledged id leads to; undefined where it leads nowhere. */
  readonly resolved: ReadonlyMap<Submitted, string | undefined>;
  readonly windows: readonly Window[];
}

interface RunBody {
  readonly id: string;
  readonly job: string;
  readonly state: string;
  readonly submittedAt: string;
  readonly endedAt: string | null;
  readonly trigger?: { readonly kind: string; readonly window?: string };
  readonly tasks: DumpedRun['tasks'];
  readonly output?: { readonly nonce?: string };
}

/** Ids of all runs of the tenant. */
export async function listRuns(
  client: Client,
  tenant: string,
): Promise<{ id: string; state: string }[]> {
  const runs: { id: string; state: string }[] = [];
  let cursor = '';
  for (;;) {
    const { body } = await client.sure('GET', `/runs?limit=500${cursor}`, { tenant });
    const page = body as { items: { id: string; state: string }[]; next?: string };
    runs.push(...page.items);
    if (page.next === undefined) return runs;
    cursor = `&cursor=${encodeURIComponent(page.next)}`;
  }
}

export async function readRun(client: Client, tenant: string, id: string): Promise<DumpedRun> {
  const { body } = await client.sure('GET', `/runs/${id}`, { tenant });
  const run = body as RunBody;
  const input = await client.sure('GET', `/runs/${id}/input`, { tenant });
  const { submission = null } = (input.body ?? {}) as Partial<WorkInput>;
  return {
    id: run.id,
    tenant,
    job: run.job,
    state: run.state,
    submittedMs: Date.parse(run.submittedAt),
    endedMs: run.endedAt === null ? Number.POSITIVE_INFINITY : Date.parse(run.endedAt),
    trigger: run.trigger?.kind ?? '',
    window: run.trigger?.window === undefined ? null : Date.parse(run.trigger.window),
    submission,
    tasks: run.tasks,
    outputNonce: run.output?.nonce ?? null,
  };
}

/** Every window of the schedule that is not ahead, oldest first. */
export async function readWindows(
  client: Client,
  tenant: string,
  { schedule, everyMs }: { schedule: string; everyMs: number },
): Promise<Window[]> {
  const windows: Window[] = [];
  let cursor = '';
  for (;;) {
    const path = `/schedules/${schedule}/timeline?limit=100${cursor}`;
    const { body } = await client.sure('GET', path, { tenant });
    const page = body as {
      items: { window: string; until?: string; count?: number; state: string }[];
      next?: string;
    };
    for (const { window, until, state } of page.items) {
      if (state === 'planned') continue;
      const last = Date.parse(until ?? window);
      for (let at = Date.parse(window); at <= last; at += everyMs) windows.push({ at, state });
    }
    if (page.next === undefined) break;
    cursor = `&after=${encodeURIComponent(page.next)}`;
  }
  return windows.sort((a, b) => a.at - b.at);
}
