import { encodeGroup, type Fact, formatRunId, jobSpec } from '@signalbox/engine';
import type { Group } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import type { NodeContext } from '../context/node-context.ts';
import { replay, TooOld } from './replay.ts';

function group(seq: number): Group {
  const { body, factCount } = encodeGroup({ partition: 0, at: seq, facts: [] });
  return { partition: 0, seq, epoch: 1, commitId: `c${seq}`, atMs: seq, body, factCount };
}

/** A journal with these groups, and a checkpoint that holds all up to one of them. */
function contextOf(seqs: readonly number[], checkpoint: number | null): NodeContext {
  const store = {
    readGroups: async ({ afterSeq, limit }: { afterSeq: number; limit: number }) =>
      seqs
        .filter((seq) => seq > afterSeq)
        .slice(0, limit)
        .map(group),
    readGroup: async ({ seq }: { seq: number }) => (seqs.includes(seq) ? group(seq) : null),
    readCheckpoint: async () => (checkpoint === null ? null : { seq: checkpoint }),
  };
  return { store } as unknown as NodeContext;
}

async function passedBy(
  seqs: readonly number[],
  to: number | null,
  checkpoint: number | null = null,
): Promise<number[]> {
  const groups: number[] = [];
  const question = {
    context: contextOf(seqs, checkpoint),
    tenant: 't',
    partition: 0,
    from: { seq: 1, index: null },
    to,
    passed: (seq: number) => void groups.push(seq),
  };
  for await (const _ of replay(question)) expect.unreachable('there are no facts');
  return groups;
}

describe('replay', () => {
  it('passes every group behind the position', async () => {
    expect(await passedBy([1, 2, 3, 4], 4)).toEqual([2, 3, 4]);
  });

  it.each([[4], [null]])(
    'is too old where groups in the middle were dropped, and never skips them (up to %s)',
    async (to) => {
      await expect(passedBy([1, 2, 4], to)).rejects.toThrow(TooOld);
      await expect(passedBy([1, 3, 4], to)).rejects.toThrow(TooOld);
    },
  );

  it('is too old where all that follows the position was dropped behind a checkpoint', async () => {
    await expect(passedBy([], null, 4)).rejects.toThrow(TooOld);
    expect(await passedBy([], null, 1)).toEqual([]);
    expect(await passedBy([1], null, 1)).toEqual([]);
  });
});

/** A journal that names a run which has no row, and the time of who reads it. */
async function replayUnknown({ now, fact = STARTED }: { now: number; fact?: Fact }) {
  const { body, factCount } = encodeGroup({ partition: 0, at: 100, facts: [fact] });
  const named = { partition: 0, seq: 2, epoch: 1, commitId: 'c', atMs: 100, body, factCount };
  const store = {
    readGroups: async () => [named],
    listDefinitions: async () => [],
    listRuns: async () => [],
    getRun: async () => null,
  };
  const engine = { core: { books: new Map() } };
  const loop = { owns: () => true, engine, time: { now: () => now } };
  const context = { store, loop, factsMs: 1_000 } as unknown as NodeContext;
  const from = { seq: 1, index: null };
  for await (const event of replay({ context, tenant: 't', partition: 0, from, to: 2 })) {
    expect.unreachable(`nobody knows of ${event.kind}`);
  }
}

const STARTED: Fact = { kind: 'taskStarted', partition: 0, seq: 7, task: 0, at: 90, attempt: 1 };
const DONE: Fact = {
  kind: 'notificationDone',
  partition: 0,
  seq: 7,
  at: 90,
  id: `${formatRunId({ ms: 1, partition: 0, seq: 7 })}/succeeded`,
  delivered: true,
  tenant: 't',
};

describe('replay of a run that has no row', () => {
  it("passes over it while a dropped run would be kept: it is another tenant's", async () => {
    await replayUnknown({ now: 1_099 });
  });

  it('is too old where retention may have dropped it', async () => {
    await expect(replayUnknown({ now: 1_100 })).rejects.toThrow(TooOld);
  });

  it('is too old where the journal says that it is of the tenant', async () => {
    await expect(replayUnknown({ now: 101, fact: DONE })).rejects.toThrow(TooOld);
    await replayUnknown({ now: 101, fact: { ...DONE, tenant: 'other' } });
  });
});

/** A tenant with many runs, of which the journal names one that ended meanwhile. */
async function replayAmong(
  numbers: readonly number[],
  { jobs = ['mail'], named }: { jobs?: readonly string[]; named: number },
): Promise<{ kinds: string[]; read: number }> {
  const fact: Fact = { ...(STARTED as Fact & { kind: 'taskStarted' }), seq: named };
  const { body, factCount } = encodeGroup({ partition: 0, at: 100, facts: [fact] });
  const group = { partition: 0, seq: 2, epoch: 1, commitId: 'c', atMs: 100, body, factCount };
  const rows = numbers.toReversed().map((seq) => {
    const run = { id: { ms: seq, partition: 0, seq }, tenant: 't', job: 'mail', jobVersion: 1 };
    return { run: { ...run, class: 1, head: '', input: null, inputBytes: 0 }, end: null };
  });
  let read = 0;
  const store = {
    readGroups: async () => [group],
    listDefinitions: async ({ after }: { after: string | null }) =>
      after === null ? jobs.map((name) => ({ name })) : [],
    listRuns: async ({ before, limit }: { before: { seq: number } | null; limit: number }) => {
      const page = rows.filter(({ run }) => run.id.seq < (before?.seq ?? Infinity)).slice(0, limit);
      read += page.length;
      return page;
    },
  };
  const spec = jobSpec({ tenant: 't', job: 'mail', version: 1, definition: { tasks: [{}] } });
  const engine = { core: { books: new Map() } };
  const specs = { load: async () => spec };
  const loop = { owns: () => true, engine, specs, time: { now: () => 101 } };
  const context = { store, loop, partitions: 1, factsMs: 1_000 } as unknown as NodeContext;
  const kinds: string[] = [];
  const from = { seq: 1, index: null };
  for await (const event of replay({ context, tenant: 't', partition: 0, from, to: 2 })) {
    kinds.push(event.kind);
  }
  return { kinds, read };
}

describe('replay for a tenant with many runs', () => {
  const even = (count: number): number[] => Array.from({ length: count }, (_, i) => 2 * (i + 1));

  it("passes over another tenant's run without reading what is older", async () => {
    expect(await replayAmong(even(8_000), { named: 15_001 })).toEqual({ kinds: [], read: 1_000 });
    expect(await replayAmong(even(8_000), { named: 5_001 })).toEqual({ kinds: [], read: 6_000 });
  });

  it('finds its run behind more than five thousand newer ones', async () => {
    const { kinds } = await replayAmong(even(8_000), { named: 5_000 });
    expect(kinds).toEqual(['taskStarted']);
  });

  it('reads no runs where no job of it is in the partition', async () => {
    expect(await replayAmong(even(8_000), { jobs: [], named: 7 })).toEqual({ kinds: [], read: 0 });
  });

  it('is too old where more would have to be read than a watcher may have', async () => {
    await expect(replayAmong(even(30_000), { named: 7 })).rejects.toThrow(TooOld);
  });
});
