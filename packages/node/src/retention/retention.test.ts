import type { RunId } from '@signalbox/engine';
import type { EndRow, RunRow, Store } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { describe, expect, it } from 'vitest';
import { sweep } from './retention.ts';

const DAY = 86_400_000;
const SETTINGS = { historyMs: 10 * DAY, keysMs: 2 * DAY, factsMs: DAY, everyMs: DAY };

describe('retention', () => {
  it('RET-08 drops segments that are old and ended, keeps those with a live run, forgets old keys', async () => {
    const clock = { now: 1_800_000_000_000 };
    const store = createMemoryStore({ now: () => clock.now });
    await store.migrate();
    const lease = await store.acquireLease({ partition: 0, owner: 'a', ttlMs: 1, commitId: 'c0' });
    if (lease.kind !== 'acquired') throw new Error('not acquired');
    const ended = runAt(clock.now, 1);
    const live = runAt(clock.now + DAY, 2);
    const recent = runAt(clock.now + 13 * DAY, 3);
    await commit(store, lease, { runs: [ended, live, recent], ends: [ended, recent] });

    clock.now += 14 * DAY;
    const swept = await sweep(store, SETTINGS);

    expect(swept).toMatchObject({ segments: 1, keys: 1, heldBy: { openRuns: 1 } });
    expect(await store.getRun({ tenant: 't', id: ended.id })).toBeNull();
    expect(await store.getRun({ tenant: 't', id: live.id })).not.toBeNull();
    expect(await store.getRun({ tenant: 't', id: recent.id })).not.toBeNull();
    const keys = [1, 2, 3].map((n) => ({ tenant: 't', key: `key ${n}` }));
    expect(await store.readKeys(keys)).toEqual([
      { tenant: 't', key: 'key 2', run: live.id },
      { tenant: 't', key: 'key 3', run: recent.id },
    ]);
    expect(await sweep(store, SETTINGS)).toMatchObject({ segments: 0, keys: 0 });
  });
});

function runAt(ms: number, seq: number): RunRow {
  const id: RunId = { ms, partition: 0, seq };
  const rest = { job: 'j', jobVersion: 1, class: 1, head: '', inputBytes: 0, input: null } as const;
  return { id, tenant: 't', ...rest, keys: [`key ${seq}`] };
}

async function commit(
  store: Store,
  lease: { epoch: number; seq: number },
  rows: { runs: RunRow[]; ends: RunRow[] },
): Promise<void> {
  const ends = rows.ends.map(({ id, tenant }): EndRow => {
    return { id, tenant, state: 'SUCCEEDED', endedAtMs: id.ms, detail: '', output: null };
  });
  const head = { partition: 0, epoch: lease.epoch, seq: lease.seq + 1, atMs: 0, factCount: 1 };
  const body = new Uint8Array(1);
  const part = { ...head, body, runs: rows.runs, ends, parked: [], inboxTaken: [], aliases: [] };
  const answer = await store.append({ commitId: 'c1', parts: [part] });
  expect(answer).toEqual({ kind: 'committed' });
}
