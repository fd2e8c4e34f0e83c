import type { Resources } from '@signalbox/engine';
import { drawOptions } from '../world/options.ts';
import { TAME } from '../world/wild-options.ts';
import { type CodeCanary, canaryWorld } from './canary.ts';

const DAY_MS = 86_400_000;
const PAGES = { pageSize: 3, queueWindow: 60, classWindow: 60, nodeWindow: 63 };
const LARGE = { ...TAME, inputBytesMax: 39_999 };
const OFF_BY_MONTHS = {
  ...TAME,
  keeping: { historyMs: 90 * DAY_MS, keysMs: 7 * DAY_MS, factsMs: DAY_MS, everyMs: 5_000 },
  excursionMs: 92 * DAY_MS,
};

/** Bugs that the product has had, put back in from outside, one by one. */
export const FOUND_CANARIES: readonly CodeCanary[] = [
  {
    name: 'a group has no limit in bytes, and the store will not take it',
    caughtBy: 'C11',
    options: canaryWorld(
      401,
      {},
      {
        burst: 100,
        submitEveryMs: 1_500,
        restMinutes: 15,
        loop: { groupBytesMax: 1e9 },
        wild: { ...LARGE, commitBytesMax: 45_000 },
        minutes: 3,
      },
    ),
    seeds: 3,
    sabotage: () => ({}),
  },
  {
    name: 'history is swept by the clock of the store alone',
    caughtBy: 'C20',
    options: canaryWorld(404, {}, { wild: OFF_BY_MONTHS, minutes: 20 }),
    seeds: 3,
    sabotage: () => ({
      clocks: (clocks, { disk }) => ({
        ...clocks,
        calendarMs: () => disk.nowMs,
        serverMs: () => disk.nowMs,
      }),
    }),
  },
  {
    name: 'inputs beyond their budget are paged straight back',
    caughtBy: 'C18',
    options: canaryWorld(
      407,
      {},
      {
        burst: 100,
        submitEveryMs: 1_500,
        restMinutes: 40,
        engine: { ...PAGES, inputBytesMax: 60_000 },
        wild: LARGE,
        minutes: 8,
      },
    ),
    seeds: 3,
    sabotage: () => ({
      engine: (engine) => {
        const pagesWanted = engine.pagesWanted.bind(engine);
        engine.pagesWanted = (pending) =>
          pagesWanted(pending).map((page) => ({ ...page, bytes: 1e9 }));
      },
    }),
  },
  {
    name: 'parked work that fits waits behind work that fits nowhere',
    caughtBy: 'C11',
    options: canaryWorld(
      410,
      {},
      {
        burst: 80,
        engine: { pageSize: 2, queueWindow: 6, classWindow: 12, nodeWindow: 14 },
        wild: { ...TAME, misfitShare: 0.05 },
        minutes: 15,
      },
    ),
    seeds: 3,
    sabotage: () => ({
      engine: ({ core }) => {
        const ofTenant = core.ofTenant.bind(core);
        core.ofTenant = (tenant, klass) => {
          const owner = ofTenant(tenant, klass);
          owner.queuedOf = () => owner.queued;
          return owner;
        };
      },
    }),
  },
  {
    name: 'room that was once taken on a worker is never given back',
    caughtBy: 'C18',
    options: canaryWorld(416, { 'node.crash': 20_000 }, { nodes: 3, minutes: 8 }),
    seeds: 3,
    sabotage: () => ({
      engine: (engine) => {
        const taken = new Map<string, Resources>();
        const apply = engine.apply.bind(engine);
        engine.apply = (command, now, random) => {
          const isUse = command.kind === 'attachWorker' || command.kind === 'beat';
          if (!isUse) return apply(command, now, random);
          const { foreignUse } = command;
          const name = command.kind === 'beat' ? command.worker : command.info.name;
          const before = taken.get(name);
          const use = before !== undefined && before.slots > foreignUse.slots ? before : foreignUse;
          taken.set(name, use);
          return apply({ ...command, foreignUse: use }, now, random);
        };
      },
    }),
  },
  {
    name: 'a run is dropped before the facts that name it',
    caughtBy: 'C21',
    options: drawOptions(67, 30),
    seeds: 4,
    sabotage: () => ({
      store: (disk) => ({
        ...disk,
        listSegments: async () =>
          (await disk.listSegments()).map(({ sealedAtMs: _, ...segment }) => segment),
      }),
    }),
  },
];
