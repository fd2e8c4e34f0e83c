import type { AcquireResult } from '../../lease.ts';
import { bytes } from '../builders.ts';
import { type Model, NODES, PARTITIONS } from './model.ts';
import type { Random } from './random.ts';
import { type Operation, step } from './step.ts';

/** Either long enough never to run out by chance, or so short that it is waited for. */
const LONG_MS = 900_000;
const SHORT_MS = 20;

export const acquireLease: Operation = (model, random) =>
  acquire(model, random, ({ kind }) => kind === 'acquired');

export const acquireHeldLease: Operation = (model, random) =>
  acquire(model, random, ({ kind }) => kind === 'held');

export const takeOver: Operation = (model, random) =>
  acquire(model, random, (answer) => answer.kind === 'acquired' && answer.epoch > 2);

function acquire(model: Model, random: Random, succeeded: (answer: AcquireResult) => boolean) {
  const partition = random.pick(PARTITIONS);
  const owner = random.pick(NODES);
  const ttlMs = random.chance(60) ? LONG_MS : SHORT_MS;
  const commitId = `fence ${model.nextNumber()}`;
  return step({
    call: (store) => store.acquireLease({ partition, owner, ttlMs, commitId }),
    succeeded,
    learn: (answer) => {
      if (answer.kind !== 'acquired') return;
      const before = model.owned.get(partition);
      model.owned.set(partition, {
        ...{ partition, owner, epoch: answer.epoch, lastSeq: answer.seq },
        checkpointSeq: before?.checkpointSeq ?? 0,
        superseded: before ? { epoch: before.epoch, seq: before.lastSeq + 1 } : null,
      });
    },
    ...(ttlMs === SHORT_MS ? { expiresInMs: SHORT_MS } : {}),
  });
}

export const beat: Operation = (model, random) => {
  const node = random.pick(NODES);
  const ttlMs = random.chance(70) ? LONG_MS : SHORT_MS;
  const held = [...model.owned.values()].map(({ partition, epoch }) => ({
    partition,
    epoch: random.chance(90) ? epoch : epoch + 1,
  }));
  const leases = random.some(held, 80);
  return step({
    call: (store) => store.beat({ node, address: `ws://${node}`, ttlMs, leases }),
    succeeded: ({ renewed, lost }) => renewed.length > 0 && lost.length > 0,
    ...(ttlMs === SHORT_MS ? { expiresInMs: SHORT_MS } : {}),
  });
};

export const releaseLease: Operation = (model, random) => {
  const owned = model.owned.get(random.pick(PARTITIONS));
  if (owned === undefined) return null;
  const { partition, owner } = owned;
  const epoch = random.chance(80) ? owned.epoch : owned.epoch - 1;
  return step({
    call: (store) => store.releaseLease({ partition, owner, epoch }),
    succeeded: () => epoch === owned.epoch,
  });
};

export const forgetNode: Operation = (_model, random) => {
  const node = random.pick(NODES);
  return step({ call: (store) => store.forgetNode(node), succeeded: () => true });
};

export const listLeases: Operation = () =>
  step({ call: (store) => store.listLeases(), succeeded: (answer) => answer.length > 1 });

export const writeCheckpoint: Operation = (model, random) => {
  const owner = model.owned.get(random.pick(PARTITIONS));
  if (owner === undefined) return null;
  const { partition, lastSeq, checkpointSeq } = owner;
  const epoch = random.chance(80) ? owner.epoch : owner.epoch - 1;
  const seq = Math.min(lastSeq, checkpointSeq + random.below(12));
  const chunks = Array.from({ length: random.below(4) }, (_, i) => bytes(`chunk ${i} of ${seq}`));
  return step({
    call: (store) => store.writeCheckpoint({ partition, epoch, seq, chunks }),
    succeeded: (answer) => answer,
    learn: (answer) => {
      if (answer) owner.checkpointSeq = seq;
    },
  });
};

export const readCheckpoint: Operation = (_model, random) => {
  const partition = random.pick(PARTITIONS);
  return step({
    call: (store) => store.readCheckpoint(partition),
    succeeded: (answer) => answer !== null,
  });
};
