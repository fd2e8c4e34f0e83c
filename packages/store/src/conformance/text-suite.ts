import { describe, it } from 'vitest';
import { auditEntry, endRow, inboxEntry, logLine, parkedRow, runRow } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { expectRefused, expectUnchanged, type Owned, openWorld, type World } from './world.ts';

const BAD_TEXTS = ['\0', 'a\0b', '\ud800', 'a\udfffb', '\udc00\ud800'];

type Call = (bad: string, world: World, owner: Owned) => Promise<unknown>;

/** Every place where text goes in, for writing or for asking. */
const CALLS: Record<string, Call> = {
  ...rowCalls(),
  'append.commitId': (bad, world, owner) =>
    world.store.append({ commitId: bad, parts: [owner.next()] }),
  'append.aliases': (bad, world, owner) => {
    const run = { ms: world.baseMs, partition: 1, seq: 1 };
    return owner.commit({ aliases: [{ tenant: 'acme', key: bad, run }] });
  },
  'append.inboxTaken': (bad, _world, owner) => owner.commit({ inboxTaken: [bad] }),
  'append.inboxPut': (bad, _world, owner) =>
    owner.commit({ inboxPut: [inboxEntry('alias', { job: bad })] }),
  'acquireLease.owner': (bad, world) =>
    world.store.acquireLease({ partition: 5, owner: bad, ttlMs: 9, commitId: 'c' }),
  'acquireLease.commitId': (bad, world) =>
    world.store.acquireLease({ partition: 5, owner: 'a', ttlMs: 9, commitId: bad }),
  'beat.node': (bad, world) => world.store.beat({ node: bad, address: 'x', ttlMs: 9, leases: [] }),
  'beat.address': (bad, world) =>
    world.store.beat({ node: 'a', address: bad, ttlMs: 9, leases: [] }),
  'releaseLease.owner': (bad, world) =>
    world.store.releaseLease({ partition: 1, owner: bad, epoch: 1 }),
  'forgetNode.node': (bad, world) => world.store.forgetNode(bad),
  'getRun.tenant': (bad, world) =>
    world.store.getRun({ tenant: bad, id: { ms: world.baseMs, partition: 1, seq: 1 } }),
  'readRuns.tenant': (bad, world) => {
    const id = { ms: world.baseMs, partition: 1, seq: 1 };
    return world.store.readRuns({ ids: [{ tenant: bad, id }], withInput: false });
  },
  'listRuns.tenant': (bad, world) => world.store.listRuns({ tenant: bad, before: null, limit: 1 }),
  'listRuns.job': (bad, world) =>
    world.store.listRuns({ tenant: 'acme', before: null, limit: 1, job: bad }),
  'readKeys.tenant': (bad, world) => world.store.readKeys([{ tenant: bad, key: 'k' }]),
  'readKeys.key': (bad, world) => world.store.readKeys([{ tenant: 'acme', key: bad }]),
  'readParked.lane': (bad, world) =>
    world.store.readParked({ partition: 1, lane: bad, after: null, upTo: 9, limit: 1 }),
  ...definitionCalls(),
  ...logAndAuditCalls(),
};

export function textSuite(target: ConformanceTarget): void {
  describe('text with a NUL or a lone surrogate', () => {
    it.each(Object.keys(CALLS))('is invalid in %s', async (name) => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      await expectUnchanged(world, async () => {
        for (const bad of BAD_TEXTS) {
          await expectRefused((CALLS[name] as Call)(bad, world, owner), 'invalid');
        }
      });
    });
  });
}

function rowCalls(): Record<string, Call> {
  const calls: Record<string, Call> = {};
  for (const field of ['tenant', 'job', 'head', 'keys']) {
    calls[`run.${field}`] = (bad, world, owner) => {
      const value = field === 'keys' ? ['good', bad] : bad;
      const id = { ms: world.baseMs, partition: 1, seq: 1 };
      return owner.commit({ runs: [runRow(id, { [field]: value })] });
    };
  }
  for (const field of ['tenant', 'state', 'detail']) {
    calls[`end.${field}`] = (bad, world, owner) => {
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 });
      return owner.commit({ runs: [run], ends: [endRow(run, { [field]: bad })] });
    };
  }
  for (const field of ['tenant', 'lane']) {
    calls[`parked.${field}`] = (bad, world, owner) => {
      const run = runRow({ ms: world.baseMs, partition: 1, seq: 1 });
      return owner.commit({ runs: [run], parked: [parkedRow(run, { [field]: bad })] });
    };
  }
  for (const field of ['id', 'tenant', 'job', 'head', 'key']) {
    calls[`inbox.${field}`] = (bad, world) =>
      world.store.putInbox(inboxEntry('alias-1', { [field]: bad }));
  }
  return calls;
}

function definitionCalls(): Record<string, Call> {
  const calls: Record<string, Call> = {};
  const change = {
    ...{ tenant: 'acme', kind: 'job', name: 'report' },
    ...{ expectedVersion: 0, body: 'one', author: 'ann' },
  };
  for (const field of ['tenant', 'kind', 'name', 'author', 'body']) {
    calls[`putDefinition.${field}`] = (bad, { store }) =>
      store.putDefinition({ ...change, [field]: bad });
    if (field === 'body') continue;
    const { body: _body, ...bodiless } = change;
    calls[`deleteDefinition.${field}`] = (bad, { store }) =>
      store.deleteDefinition({ ...bodiless, [field]: bad });
    calls[`restoreDefinition.${field}`] = (bad, { store }) =>
      store.restoreDefinition({ ...bodiless, [field]: bad });
  }
  const key = { tenant: 'acme', kind: 'job', name: 'report' };
  for (const field of ['tenant', 'kind', 'name']) {
    calls[`getDefinition.${field}`] = (bad, { store }) =>
      store.getDefinition({ ...key, [field]: bad });
    calls[`listDefinitionVersions.${field}`] = (bad, { store }) =>
      store.listDefinitionVersions({ ...key, after: 0, limit: 1, [field]: bad });
  }
  const list = { tenant: 'acme', kind: 'job', after: null, limit: 1 };
  for (const field of ['tenant', 'kind', 'after']) {
    calls[`listDefinitions.${field}`] = (bad, { store }) =>
      store.listDefinitions({ ...list, [field]: bad });
  }
  for (const field of ['tenant', 'kind']) {
    calls[`countDefinitions.${field}`] = (bad, { store }) =>
      store.countDefinitions({ tenant: 'acme', kind: 'job', [field]: bad });
  }
  return calls;
}

function logAndAuditCalls(): Record<string, Call> {
  const calls: Record<string, Call> = {};
  for (const field of ['tenant', 'stream', 'text']) {
    calls[`appendLogs.${field}`] = (bad, world) => {
      const run = { ms: world.baseMs, partition: 1, seq: 1 };
      return world.store.appendLogs([logLine(run), logLine(run, { number: 1, [field]: bad })]);
    };
  }
  for (const field of Object.keys(auditEntry())) {
    calls[`appendAudit.${field}`] = (bad, { store }) =>
      store.appendAudit(auditEntry({ [field]: bad }));
  }
  calls['readLogs.tenant'] = (bad, world) => {
    const run = { ms: world.baseMs, partition: 1, seq: 1 };
    return world.store.readLogs({ tenant: bad, run, after: null, limit: 1 });
  };
  calls['readAudit.tenant'] = (bad, { store }) =>
    store.readAudit({ tenant: bad, after: 0, limit: 1 });
  return calls;
}
