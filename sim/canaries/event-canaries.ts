import type { Engine, Fact } from '@signalbox/engine';
import { type CodeCanary, canaryWorld } from './canary.ts';

const HEARS = { hears: true, minutes: 10, nodes: 3 } as const;

/** Calls back behind every fact of a kind. */
function after(kind: Fact['kind'], act: (engine: Engine, fact: Fact) => void) {
  return (engine: Engine): void => {
    const { core } = engine;
    const emit = core.emit.bind(core);
    core.emit = (book, fact, run) => {
      emit(book, fact, run);
      if (fact.kind === kind) act(engine, fact);
    };
  };
}

/** Every so many times. */
function every(n: number): () => boolean {
  let count = 0;
  return () => ++count % n === 0;
}

export const EVENT_CANARIES: readonly CodeCanary[] = [
  {
    name: 'every fifth event is acknowledged and not kept',
    caughtBy: 'C14',
    options: canaryWorld(60, { 'node.crash': 30_000 }, HEARS),
    sabotage: () => {
      const isIt = every(5);
      return {
        door: (store) => ({
          ...store,
          putInbox: (entry) =>
            entry.kind === 'events' && isIt()
              ? Promise.resolve({ kind: 'put' as const })
              : store.putInbox(entry),
        }),
      };
    },
  },
  {
    name: 'every third event leaves the inbox unheard',
    caughtBy: 'C14',
    options: canaryWorld(61, {}, HEARS),
    sabotage: () => {
      const isIt = every(3);
      return {
        engine: (engine) => {
          const apply = engine.apply.bind(engine);
          engine.apply = (command, now, random) =>
            command.kind === 'event' && isIt() ? { kind: 'done' } : apply(command, now, random);
        },
      };
    },
  },
  {
    name: 'an event that is sent again counts again',
    caughtBy: 'C14',
    options: canaryWorld(62, {}, HEARS),
    seeds: 4,
    sabotage: () => ({
      engine: after('eventTaken', ({ core }, fact) => {
        if (fact.kind !== 'eventTaken') return;
        const run = core.books.get(fact.partition)?.runs.get(fact.seq);
        run?.graph?.events?.taken.delete(fact.key);
      }),
    }),
  },
  {
    name: 'an event that comes before its wait is not written down',
    caughtBy: 'C14',
    options: canaryWorld(63, { 'node.crash': 60_000 }, HEARS),
    sabotage: () => ({ engine: after('eventKept', ({ core }) => void core.facts.pop()) }),
  },
];
