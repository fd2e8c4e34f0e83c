import type { Commit, CommitPart, Store } from '@signalbox/store';
import { StoreError } from '@signalbox/store';
import { type CodeCanary, canaryWorld, nth } from './canary.ts';

function mapParts(commit: Commit, change: (part: CommitPart) => CommitPart): Commit {
  return { ...commit, parts: commit.parts.map(change) };
}

/** A store that changes commits on their way to the disk. */
function changing(change: (commit: Commit) => Commit) {
  return (disk: Store): Store => ({ ...disk, append: (commit) => disk.append(change(commit)) });
}

export const STORE_CANARIES: readonly CodeCanary[] = [
  {
    name: 'a commit is answered and never written',
    caughtBy: 'C1',
    options: canaryWorld(1),
    sabotage: () => {
      const isIt = nth(40);
      return {
        door: (store, world, node) => ({
          ...store,
          append: async (commit) => {
            const accepts = commit.parts.some((part) => part.runs.length > 0);
            if (!accepts || !isIt()) return store.append(commit);
            world.clockwork.after(60, world.operator, () => {
              node.crash();
              world.clockwork.after(500, world.operator, () => node.start());
            });
            return { kind: 'committed' };
          },
        }),
      };
    },
  },
  {
    name: 'the row of one submission is lost',
    caughtBy: 'C1',
    options: canaryWorld(2),
    sabotage: () => {
      const isIt = nth(20);
      return {
        store: changing((commit) =>
          mapParts(commit, (part) =>
            part.runs.length > 0 && isIt() ? { ...part, runs: part.runs.slice(1) } : part,
          ),
        ),
      };
    },
  },
  {
    name: 'idempotency keys are not unique',
    caughtBy: 'C1',
    options: canaryWorld(3, {}, { engine: { keysKept: 1 }, keyShare: 1 }),
    sabotage: () => ({
      store: changing((commit) =>
        mapParts(commit, (part) => ({
          ...part,
          runs: part.runs.map((run) => ({ ...run, keys: [] })),
        })),
      ),
    }),
  },
  {
    name: 'the row of one end is lost',
    caughtBy: 'C2',
    options: canaryWorld(4),
    sabotage: () => {
      const isIt = nth(30);
      return {
        store: changing((commit) =>
          mapParts(commit, (part) =>
            part.ends.length > 0 && isIt() ? { ...part, ends: part.ends.slice(1) } : part,
          ),
        ),
      };
    },
  },
  {
    name: 'commits are answered before they are durable',
    caughtBy: 'C3',
    options: canaryWorld(5),
    sabotage: () => ({
      store: (disk, world) => ({
        ...disk,
        append: async (commit) => {
          // Written in order, a moment after everybody has been told.
          world.clockwork.after(40, world.desk, () => void disk.append(commit));
          return { kind: 'committed' };
        },
      }),
    }),
  },
  {
    name: 'the fence lets a superseded owner through',
    caughtBy: 'C4',
    options: canaryWorld(6, { 'node.pause': 15_000, 'store.cut': 30_000 }),
    sabotage: () => ({
      store: (disk) => ({
        ...disk,
        append: async (commit) => {
          const result = await disk.append(commit);
          if (result.kind !== 'fenced') return result;
          const parts: CommitPart[] = [];
          for (const part of commit.parts) {
            const lease = (await disk.listLeases()).find((l) => l.partition === part.partition);
            const last = (await disk.readGroups({ ...part, afterSeq: 0, limit: 1e9 })).at(-1);
            const body = new Uint8Array(0);
            const rows = { runs: [], ends: [], parked: [], inboxTaken: [], aliases: [] };
            const empty = { body, factCount: 0, ...rows };
            const epoch = lease?.epoch ?? 1;
            parts.push({ ...part, ...empty, epoch, seq: (last?.seq ?? 0) + 1 });
          }
          return disk.append({ ...commit, parts });
        },
      }),
    }),
  },
  {
    name: 'the disk accepts any epoch',
    caughtBy: 'C4',
    options: canaryWorld(7, { 'node.pause': 15_000, 'store.cut': 30_000 }),
    sabotage: () => ({
      world: ({ disk }) => {
        const append = disk.memory.append.bind(disk.memory);
        disk.memory.append = async (commit) => {
          const result = await append(commit);
          return result.kind === 'fenced' ? { kind: 'committed' } : result;
        };
      },
    }),
  },
  {
    name: 'a beat that failed counts as a renewal',
    caughtBy: 'C5',
    options: canaryWorld(8, { 'store.cut': 40_000, 'store.cut-answers': 60_000 }),
    sabotage: () => ({
      door: (store) => {
        let nodes: Awaited<ReturnType<Store['beat']>>['nodes'] = [];
        let nowMs = 0;
        return {
          ...store,
          beat: async (request) => {
            try {
              const result = await store.beat(request);
              ({ nodes, nowMs } = result);
              return result;
            } catch (error) {
              if (!(error instanceof StoreError)) throw error;
              const renewed = request.leases.map((lease) => lease.partition);
              return { nowMs, nodes, renewed, lost: [] };
            }
          },
        };
      },
    }),
  },
  {
    name: 'leases are trusted for longer than they last',
    caughtBy: 'C5',
    options: canaryWorld(
      9,
      { 'store.cut': 40_000, 'node.pause': 40_000 },
      { loop: { trustMarginMs: -6_000 } },
    ),
    sabotage: () => ({}),
  },
  {
    name: 'one output is changed on its way to the disk',
    caughtBy: 'C6',
    options: canaryWorld(10),
    sabotage: () => {
      const isIt = nth(30);
      const spoil = (part: CommitPart): CommitPart => ({
        ...part,
        ends: part.ends.map((end) => ({ ...end, output: end.output?.slice(1) ?? null })),
      });
      return {
        store: changing((commit) =>
          mapParts(commit, (part) => {
            const has = part.ends.some((end) => end.output !== null);
            return has && isIt() ? spoil(part) : part;
          }),
        ),
      };
    },
  },
  {
    name: 'what one end starts is lost between the two',
    caughtBy: 'C13',
    options: canaryWorld(12, {}, { follows: true }),
    sabotage: () => {
      const isIt = nth(5);
      return {
        store: changing((commit) =>
          mapParts(commit, (part) => {
            if (part.inboxPut === undefined || !isIt()) return part;
            const { inboxPut: _, ...without } = part;
            return without;
          }),
        ),
      };
    },
  },
  {
    name: 'what an end starts has no key, and is taken in as often as it is told',
    caughtBy: 'C13',
    options: canaryWorld(13, {}, { follows: true, engine: { keysKept: 1 } }),
    sabotage: () => ({
      store: changing((commit) =>
        mapParts(commit, (part) => {
          const { inboxPut } = part;
          if (inboxPut === undefined) return part;
          const again = inboxPut.map((entry) => ({ ...entry, id: `x${entry.id.slice(1)}` }));
          const keyless = [...inboxPut, ...again].map((entry) => ({ ...entry, key: null }));
          return { ...part, inboxPut: keyless };
        }),
      ),
    }),
  },
  {
    name: 'a reader is denied a run that is there',
    caughtBy: 'C12',
    options: canaryWorld(11),
    sabotage: () => {
      const isIt = nth(3);
      return {
        world: (world) => world.clients.onlookers.readEagerly(),
        door: (store) => ({
          ...store,
          getRun: async (query) => {
            const found = await store.getRun(query);
            return found !== null && isIt() ? null : found;
          },
        }),
      };
    },
  },
];
