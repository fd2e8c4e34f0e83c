import type { InboxEntry } from '../../contract/inbox.ts';
import type { AppendResult, CommitPart } from '../../contract/journal.ts';
import type { HeldKey } from '../../contract/keys.ts';
import type { RunRow } from '../../contract/runs.ts';
import { bytes, endRow, inboxEntry, parkedRow, part, runRow } from '../builders.ts';
import { JOBS, LANES, type Model, type OwnedPartition, PARTITIONS, TENANTS } from './model.ts';
import type { Random } from './random.ts';
import { type Operation, step } from './step.ts';

export const append: Operation = (model, random) => {
  const owners = random.some([...model.owned.values()], 60);
  if (owners.length === 0) return null;
  const parts = owners.map((owner) => randomPart(model, random, owner));
  return step({
    call: (store) => store.append({ commitId: `commit ${parts[0]?.seq}`, parts }),
    succeeded: (answer) => answer.kind === 'committed',
    learn: (answer) => learnAppend(model, parts, answer),
  });
};

/** What a node would try that has not yet heard of its successor; maybe beside a good part. */
export const appendFenced: Operation = (model, random) => {
  const stale = [...model.owned.values()].find(({ superseded }) => superseded !== null);
  if (!stale?.superseded) return null;
  const { epoch, seq } = stale.superseded;
  const others = [...model.owned.values()].filter((owner) => owner !== stale);
  const parts = [
    { ...randomPart(model, random, stale), epoch, seq },
    ...random.some(others, 30).map((owner) => randomPart(model, random, owner)),
  ];
  return step({
    call: (store) => store.append({ commitId: 'late', parts }),
    succeeded: (answer) => answer.kind === 'fenced',
  });
};

export const appendKeyTaken: Operation = (model, random) => {
  const [owner] = model.owned.values();
  if (owner === undefined || model.keys.length === 0) return null;
  const { tenant, key } = random.pick(model.keys);
  const fresh = `fresh ${model.nextNumber()}`;
  const runs = [[fresh], [key], [fresh, 'x']].map((keys) =>
    runRow(model.newId(owner.partition), { tenant, keys }),
  );
  const next = { ...emptyPart(owner), runs };
  return step({
    call: (store) => store.append({ commitId: 'taken', parts: [next] }),
    succeeded: (answer) => answer.kind === 'keyTaken' && answer.keys.length >= 2,
    learn: (answer) => learnAppend(model, [next], answer),
  });
};

export const appendInvalid: Operation = (model, random) => {
  const [owner] = model.owned.values();
  // A run with a key is a single row, which must not be looked for in row blocks.
  const known = model.runs().findLast(({ keys }) => keys.length > 0);
  if (owner === undefined || known === undefined) return null;
  const bad = random.pick([
    { runs: [runRow(model.newId(owner.partition), { head: 'a\0' })] },
    { runs: [runRow(model.newId(owner.partition)), known] },
    { ends: model.endedRuns.slice(-1).map((run) => endRow(run, { state: 'FAILED' })) },
  ]);
  const next = { ...emptyPart(owner), ...bad };
  return step({
    call: (store) => store.append({ commitId: 'bad', parts: [next] }),
    // Only a refusal counts: without an ended run to contradict, the commit is a good one.
    succeeded: () => false,
    learn: (answer) => learnAppend(model, [next], answer),
  });
};

export const readGroup: Operation = (model, random) => {
  const owner = model.owned.get(random.pick(PARTITIONS));
  if (owner === undefined) return null;
  const { partition, checkpointSeq, lastSeq } = owner;
  const seq = checkpointSeq + 1 + random.below(lastSeq - checkpointSeq + 1);
  return step({
    call: (store) => store.readGroup({ partition, seq }),
    succeeded: (answer) => answer !== null,
  });
};

export const readGroups: Operation = (model, random) => {
  const owner = model.owned.get(random.pick(PARTITIONS));
  if (owner === undefined) return null;
  const { partition, checkpointSeq: afterSeq } = owner;
  const limit = 1 + random.below(9);
  return step({
    call: (store) => store.readGroups({ partition, afterSeq, limit }),
    succeeded: (answer) => answer.length > 1,
  });
};

function emptyPart(owner: OwnedPartition): CommitPart {
  const { partition, epoch, lastSeq } = owner;
  return part({ partition, epoch, seq: lastSeq + 1 });
}

function randomPart(model: Model, random: Random, owner: OwnedPartition): CommitPart {
  const { partition } = owner;
  // By turns work piles up and runs down: lanes fill, then whole segments come to their end.
  if (random.chance(5)) model.isDraining = !model.isDraining;
  const runCount = model.isDraining ? random.below(2) : random.below(6);
  const runs = Array.from({ length: runCount }, () => randomRun(model, random, partition));
  if (!model.isDraining && random.chance(25)) runs.push(...randomRequest(model, random, partition));
  const own = model.openRuns.filter(({ id }) => id.partition === partition);
  const ending = random.some(own.slice(0, 60), model.isDraining ? 80 : 5);
  const ends = ending.map((run) =>
    endRow(run, {
      state: random.chance(85) ? 'SUCCEEDED' : random.pick(['FAILED', 'CANCELLED']),
      output: random.chance(30) ? null : bytes('done'),
    }),
  );
  const parked = random
    .some([...own, ...runs], 25)
    .map((run) => parkedRow(run, { lane: random.pick(LANES), sort: random.below(20) - 3 }));
  const waiting = [...model.inbox].filter(([, at]) => at === partition).map(([id]) => id);
  return {
    ...emptyPart(owner),
    atMs: model.nowMs,
    body: Uint8Array.from({ length: random.below(40) }, () => random.below(256)),
    factCount: 1 + runs.length,
    ...{ runs, ends, parked },
    inboxTaken: random.some(waiting, 15),
    aliases: random
      .some(runs.slice(0, 1), 30)
      .map(({ tenant, id: run }) => ({ tenant, key: `alias ${random.below(50)}`, run })),
    ...(random.chance(20) ? { inboxPut: [owedEntry(model, random)] } : {}),
    ...(random.chance(15) ? { claims: randomClaims(model, random) } : {}),
  };
}

/** Some meet a key that a run or an entry has, and some the run that has it already. */
function randomClaims(model: Model, random: Random): HeldKey[] {
  const runs = model.runs();
  if (runs.length === 0) return [];
  return Array.from({ length: 1 + random.below(2) }, () => {
    const { tenant, id: run } = random.pick(runs);
    return { tenant, key: `key ${random.below(400)}`, run };
  });
}

function owedEntry(model: Model, random: Random): InboxEntry {
  const of = { partition: random.pick(PARTITIONS), tenant: random.pick(TENANTS) };
  const key = random.chance(50) ? null : `key ${random.below(400)}`;
  return inboxEntry(`owed-${model.nextNumber()}`, { ...of, key, atMs: model.nowMs });
}

/** Runs of one request: numbered in a row and alike. */
function randomRequest(model: Model, random: Random, partition: number): RunRow[] {
  const common = { tenant: random.pick(TENANTS), job: random.pick(JOBS) };
  return Array.from({ length: 2 + random.below(40) }, () =>
    runRow(model.newId(partition), {
      ...common,
      ...(random.chance(5) ? { input: null, inputBytes: random.below(99) } : {}),
    }),
  );
}

function randomRun(model: Model, random: Random, partition: number): RunRow {
  const keys = random.chance(40) ? [`key ${model.nextNumber()}`] : [];
  return runRow(model.newId(partition), {
    tenant: random.pick(TENANTS),
    job: random.pick(JOBS),
    class: random.pick([0, 1, 2] as const),
    keys,
    ...(random.chance(20) ? { input: null } : {}),
  });
}

function learnAppend(model: Model, parts: readonly CommitPart[], answer: AppendResult): void {
  if (answer?.kind !== 'committed') return;
  for (const { partition, seq, runs, ends, inboxTaken, inboxPut, aliases } of parts) {
    const owner = model.owned.get(partition);
    if (owner !== undefined) owner.lastSeq = seq;
    for (const run of runs) {
      model.openRuns.push(run);
      model.usedSegments.add(model.segmentOf(run.id));
      model.keys.push(...run.keys.map((key) => ({ tenant: run.tenant, key })));
    }
    for (const { id } of ends) {
      const at = model.openRuns.findIndex((run) => run.id.seq === id.seq);
      if (at >= 0) model.endedRuns.push(...model.openRuns.splice(at, 1));
    }
    model.keys.push(...aliases.map(({ tenant, key }) => ({ tenant, key })));
    for (const id of inboxTaken) model.inbox.delete(id);
    for (const entry of inboxPut ?? []) model.inbox.set(entry.id, entry.partition);
  }
}
