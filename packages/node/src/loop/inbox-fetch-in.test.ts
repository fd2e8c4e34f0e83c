import type { Book, Command, Engine, RunId, Saying } from '@signalbox/engine';
import type { InboxEntry, Store, StoredRun } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { Inbox } from './inbox.ts';
import type { LoopPorts } from './ports.ts';
import type { Specs } from './specs.ts';

const PARTITION = 1;
const PARKED: RunId = { ms: 5, partition: PARTITION, seq: 9 };
const word: Saying = { kind: 'cancelNested', job: 'inner', key: 'k', of: { ...PARKED, seq: 1 } };
const ENTRY = {
  ...{ id: 'e', partition: PARTITION, kind: 'message', tenant: 't' },
  ...{ job: 'inner', class: 0, atMs: 1 },
  ...{ head: JSON.stringify({ word }), input: null, key: null },
} as InboxEntry;
const STORED = {
  run: { id: PARKED, tenant: 't', job: 'inner', jobVersion: 1, head: '{"lane":"due"}' },
  end: null,
} as StoredRun;

function book(live: readonly number[] = []): Book {
  return { partition: PARTITION, runs: new Map(live.map((seq) => [seq, {}])) } as unknown as Book;
}

/** An inbox with a word about a parked run, whose store answers one question after the other. */
function setup() {
  const books = new Map<number, Book>([[PARTITION, book()]]);
  const delivered: string[][] = [];
  const hooks = { readKeys: () => {}, getRun: () => {}, load: () => {} };
  const inbox = new Inbox({
    store: {
      readInbox: async () => [ENTRY],
      readKeys: async () => {
        await new Promise(setImmediate);
        hooks.readKeys();
        return [{ tenant: 't', key: 'k', run: PARKED }];
      },
      getRun: async () => {
        await new Promise(setImmediate);
        hooks.getRun();
        return STORED;
      },
    } as unknown as Store,
    ports: { after: () => () => {} } as unknown as LoopPorts,
    engine: { core: { books, now: 0 } } as unknown as Engine,
    specs: {
      load: async () => {
        await new Promise(setImmediate);
        hooks.load();
        return {};
      },
    } as unknown as Specs,
    pollMs: 5_000,
    livePartitions: () => [PARTITION],
    isAlone: () => false,
    deliver: (commands: readonly Command[]) => delivered.push(commands.map(({ kind }) => kind)),
    storeFailed: (error) => {
      throw error;
    },
  });
  const look = async () => {
    inbox.hurry();
    for (let i = 0; i < 10; i++) await new Promise(setImmediate);
  };
  return { books, delivered, hooks, look };
}

describe('a word about a parked run', () => {
  it('brings the run in first', async () => {
    const { delivered, look } = setup();
    await look();
    expect(delivered).toEqual([['fetchIn', 'cancelNested']]);
  });

  it('needs not bring in a run that is here', async () => {
    const { books, delivered, look } = setup();
    books.set(PARTITION, book([PARKED.seq]));
    await look();
    expect(delivered).toEqual([['cancelNested']]);
  });

  it.each(['readKeys', 'getRun', 'load'] as const)(
    'waits for the next look where the partition went during %s',
    async (during) => {
      const { books, delivered, hooks, look } = setup();
      hooks[during] = () => books.delete(PARTITION);
      await look();
      expect(delivered).toEqual([]);
      hooks[during] = () => {};
      books.set(PARTITION, book());
      await look();
      expect(delivered).toEqual([['fetchIn', 'cancelNested']]);
    },
  );

  it.each(['getRun', 'load'] as const)(
    'waits for the next look where the partition came back otherwise during %s',
    async (during) => {
      const { books, delivered, hooks, look } = setup();
      hooks[during] = () => books.set(PARTITION, book());
      await look();
      expect(delivered).toEqual([]);
      hooks[during] = () => {};
      await look();
      expect(delivered).toEqual([['fetchIn', 'cancelNested']]);
    },
  );
});
