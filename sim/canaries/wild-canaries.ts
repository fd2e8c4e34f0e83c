import type { Engine, Run } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import { TAME } from '../world/wild-options.ts';
import { type CodeCanary, canaryWorld, nth } from './canary.ts';

/** Few keys, used again for any job, through any node. */
const KEYS = { ...TAME, keyPool: 6, strayShare: 0.5, uniqueShare: 0.5 };
const CONTEST = { ...TAME, contest: true, misfitShare: 0.02 };

/** One answer of the engine to a submission is changed. */
function answering(change: (engine: Engine, duplicate: object) => object) {
  return (engine: Engine): void => {
    const apply = engine.apply.bind(engine);
    engine.apply = (command, now, random) => {
      const answer = apply(command, now, random);
      const isMerged = command.kind === 'submit' && answer.kind === 'duplicate';
      return isMerged ? (change(engine, answer) as typeof answer) : answer;
    };
  };
}

/** A run that lives and is not the one that was found. */
function anyOther({ core }: Engine, found: { seq?: number; partition?: number }): Run | undefined {
  const runs = [...(core.books.get(found.partition ?? 0)?.runs.values() ?? [])];
  return runs.find(({ seq }) => seq !== found.seq);
}

/** Bugs of the kinds that a tame world never shows, put in from outside. */
export const WILD_CANARIES: readonly CodeCanary[] = [
  {
    name: 'what equals a run by its unique value is answered with another run',
    caughtBy: 'C16',
    options: canaryWorld(301, {}, { wild: KEYS }),
    seeds: 3,
    sabotage: () => ({
      engine: answering((engine, duplicate) => {
        const other = anyOther(engine, duplicate);
        return other === undefined ? duplicate : { ...duplicate, seq: other.seq, ms: other.ms };
      }),
    }),
  },
  {
    name: 'an entry of the inbox loses its input',
    caughtBy: 'C16',
    options: canaryWorld(302, {}, { wild: { ...KEYS, keyPool: 0 }, nodes: 3 }),
    seeds: 3,
    sabotage: () => ({ store: emptied }),
  },
  {
    name: 'an acknowledged entry is not found',
    caughtBy: 'C16',
    options: canaryWorld(303, {}, { wild: KEYS, nodes: 3, minutes: 8 }),
    seeds: 3,
    sabotage: () => ({
      world: (world) => world.clients.onlookers.readEagerly(),
      door: (store) => ({
        ...store,
        // As if there were too many entries to look at: it waits there, and nobody finds it.
        readInboxEntry: async () => null,
      }),
    }),
  },
  {
    name: 'one tenant is never charged for its places',
    caughtBy: 'C17',
    options: canaryWorld(304, {}, { wild: CONTEST, nodes: 1, burst: 60, minutes: 15 }),
    seeds: 3,
    sabotage: () => ({
      engine: ({ core }) => {
        const ofTenant = core.ofTenant.bind(core);
        core.ofTenant = (tenant, klass) => {
          const owner = ofTenant(tenant, klass);
          if (tenant !== 't0') return owner;
          owner.fairKey = -1;
          owner.computeKey = () => -1;
          return owner;
        };
      },
    }),
  },
  {
    name: 'runs that have ended stay reachable',
    caughtBy: 'C18',
    options: canaryWorld(305, {}, { minutes: 6 }),
    sabotage: () => {
      const kept: Run[] = [];
      return {
        engine: ({ core }) => {
          const emit = core.emit.bind(core);
          core.emit = (book, fact, run) => {
            emit(book, fact, run);
            if (run !== null) kept.push(run);
          };
        },
      };
    },
  },
  {
    name: 'one request is never answered',
    caughtBy: 'C19',
    options: canaryWorld(306),
    sabotage: () => {
      const isIt = nth(30);
      return {
        loop: (loop) => {
          const executeAll = loop.executeAll.bind(loop);
          loop.executeAll = (commands) => (isIt() ? new Promise(() => {}) : executeAll(commands));
        },
      };
    },
  },
  {
    name: 'a nested run is started without its input',
    caughtBy: 'C15',
    options: canaryWorld(307, {}, { minutes: 8 }),
    sabotage: () => ({
      engine: (engine) => {
        const apply = engine.apply.bind(engine);
        engine.apply = (command, now, random) => {
          const isNested = command.kind === 'submit' && command.head.nested !== undefined;
          return apply(isNested ? { ...command, input: null } : command, now, random);
        };
      },
    }),
  },
  {
    name: 'what is not finite is written down',
    caughtBy: 'C0',
    options: canaryWorld(308, { 'node.crash': 15_000 }, { minutes: 8 }),
    sabotage: () => ({
      engine: ({ core }) => {
        const emit = core.emit.bind(core);
        core.emit = (book, fact, run) => {
          emit(book, fact, run);
          if (fact.kind === 'taskExtended')
            Object.assign(fact, { hardAt: Number.POSITIVE_INFINITY });
        };
      },
    }),
  },
  {
    name: 'open event streams fall silent, and a client that comes back is sent everything',
    caughtBy: 'C21',
    options: canaryWorld(309, {}, { nodes: 3, wild: { ...TAME, watchers: 4 } }),
    sabotage: () => ({
      ports: (ports, { clockwork, options }) => ({
        ...ports,
        published: (partition, facts, seq) => {
          const isHealed = clockwork.now >= options.minutes * 60_000;
          if (!isHealed) ports.published?.(partition, facts, seq);
        },
      }),
    }),
  },
];

/** What comes through the inbox loses its input on the way. */
function emptied(disk: Store): Store {
  return {
    ...disk,
    append: (commit) => {
      const parts = commit.parts.map((part) => ({
        ...part,
        runs: part.runs.map((run) =>
          run.head.includes('"inbox"') ? { ...run, input: null, inputBytes: 0 } : run,
        ),
      }));
      return disk.append({ ...commit, parts });
    },
  };
}
