import type { ParkedCursor } from '../../contract/parked.ts';
import type { Store } from '../../store.ts';
import { inboxEntry } from '../builders.ts';
import { JOBS, LANES, PARTITIONS, TENANTS } from './model.ts';
import { type Operation, step } from './step.ts';

export const getRun: Operation = (model, random) => {
  const runs = model.runs();
  if (runs.length === 0) return null;
  const { tenant, id } = random.pick(runs);
  return step({
    call: (store) => store.getRun({ tenant, id }),
    succeeded: (answer) => answer !== null && answer.end !== null,
  });
};

export const getForeignRun: Operation = (model, random) => {
  const runs = model.runs();
  if (runs.length === 0) return null;
  const { tenant, id } = random.pick(runs);
  const other = TENANTS.find((name) => name !== tenant) ?? 'nobody';
  return step({
    call: (store) => store.getRun({ tenant: other, id }),
    succeeded: (answer) => answer === null,
  });
};

export const readRuns: Operation = (model, random) => {
  const chosen = random.some(model.runs(), 20);
  const ids = chosen.map(({ tenant, id }) => ({
    tenant: random.chance(90) ? tenant : random.pick(TENANTS),
    id,
  }));
  const withInput = random.chance(50);
  return step({
    call: (store) => store.readRuns({ ids, withInput }),
    succeeded: (answer) => answer.length > 0,
    isUnordered: true,
  });
};

export const listRuns: Operation = (model, random) => {
  const runs = model.runs();
  const query = {
    tenant: random.pick(TENANTS),
    before: runs.length > 0 && random.chance(60) ? random.pick(runs).id : null,
    limit: 1 + random.below(20),
    ...(runs.length > 0 && random.chance(30) ? { from: random.pick(runs).id } : {}),
    ...(random.chance(40) ? { job: random.pick(JOBS) } : {}),
    ...(random.chance(40) ? { ended: random.chance(50) } : {}),
    ...(random.chance(40) ? { withPayloads: random.chance(50) } : {}),
    ...(random.chance(50) ? { bytes: random.below(1_000) } : {}),
  };
  return step({
    call: (store) => store.listRuns(query),
    succeeded: (answer) => answer.length > 1,
  });
};

export const readKeys: Operation = (model, random) => {
  const keys = random.some(model.keys.slice(-20), 50);
  return step({
    call: (store) => store.readKeys([...keys, { tenant: 'acme', key: 'absent' }]),
    succeeded: (answer) => answer.length > 0,
    isUnordered: true,
  });
};

export const forgetKeys: Operation = (model, random) => {
  if (!random.chance(20)) return null;
  const beforeMs = model.nowMs - random.below(2 * model.segmentMs);
  return step({
    call: (store) => store.forgetKeys({ beforeMs, after: null, limit: 1_000_000 }),
    succeeded: ({ forgotten }) => forgotten > 0,
  });
};

/** Reads a lane to its end: where pages are cut is the store's own affair. */
export const readParked: Operation = (_model, random) => {
  const partition = random.pick(PARTITIONS);
  const lane = random.pick(LANES);
  const limit = 1 + random.below(30);
  const upTo = random.below(20);
  const call = async (store: Store) => {
    const runs = [];
    let after: ParkedCursor | null = null;
    for (;;) {
      const query: Parameters<Store['readParked']>[0] = { partition, lane, after, upTo, limit };
      const page = await store.readParked(query);
      runs.push(...page.runs);
      if (page.exhausted) return runs;
      after = page.last;
    }
  };
  return step({ call, succeeded: (answer) => answer.length > 0 });
};

export const putInbox: Operation = (model, random) => {
  const repeated = random.chance(20) ? [...model.inbox.keys()][0] : undefined;
  const id = repeated ?? `alias-${String(model.nextNumber()).padStart(6, '0')}`;
  const partition = random.pick(PARTITIONS);
  const entry = inboxEntry(id, {
    ...{ partition, tenant: random.pick(TENANTS), atMs: model.nowMs },
    ...(random.chance(30) ? { key: null, input: null } : { key: `key ${random.below(400)}` }),
  });
  return step({
    call: (store) => store.putInbox(entry),
    succeeded: ({ kind }) => kind === 'put',
    learn: ({ kind }) => {
      if (kind === 'put') model.inbox.set(id, partition);
    },
  });
};

export const readInboxEntry: Operation = (model, random) => {
  const ids = [...model.inbox.keys()];
  const query = { tenant: random.pick(TENANTS), id: ids.length === 0 ? 'none' : random.pick(ids) };
  return step({
    call: (store) => store.readInboxEntry(query),
    succeeded: (answer) => answer !== null,
  });
};

export const readInbox: Operation = (_model, random) => {
  const partitions = random.some(PARTITIONS, 60);
  const limit = 1 + random.below(6);
  const bytes = random.chance(50) ? { bytes: random.below(100) } : {};
  return step({
    call: (store) => store.readInbox({ partitions, limit, ...bytes }),
    succeeded: (answer) => answer.length > 0,
  });
};
