import crypto from 'node:crypto';
import { type Effect, Engine, seededRandom, type Task } from '@signalbox/engine';
import type { BlobStore, Caller, NodeContext } from '@signalbox/node/context';
import {
  graphPorts,
  InputResolver,
  NestedRuns,
  type ResolvedInput,
  type UnresolvableInput,
} from '@signalbox/node/graph';
import { makeLog } from '@signalbox/node/log';
import { CommitLoop } from '@signalbox/node/loop';
import { completionTriggers, type Triggers, watchDefinitions } from '@signalbox/node/triggers';
import { zoneOf } from '@signalbox/node/zones';
import { decodeBlobRef, encodeBlobRef } from '@signalbox/protocol';
import { createMemoryStore } from '@signalbox/store/memory';
import type { VirtualTime } from './virtual-time.ts';

/** Longer than anybody simulates: leases, beats and looks for mail would only fill the calendar. */
const NEVER_MS = 3_153_600_000_000;
const HOUR_MS = 3_600_000;
const PARTITIONS = 1;

/** The same key as in embedded mode: approvals and errors name it. */
export const SIMULATED: Caller = {
  key: 'embedded',
  tenant: 'default',
  role: 'admin',
  platform: true,
  ip: '',
  requestId: '',
};

export interface VirtualNode {
  readonly context: NodeContext;
  readonly loop: CommitLoop;
  /** The payload itself, where the journal has a reference to it. */
  payload(kept: Uint8Array): Promise<Uint8Array>;
  /** A reference to the payload, which is kept beside the journal. */
  keep(payload: Uint8Array): Promise<Uint8Array>;
  /** Starts the runs that tasks wait for; they tell their ends by themselves. */
  readonly nested: NestedRuns;
  /** What an attempt of the task is given, or why it cannot be. */
  supply(task: Task): Promise<ResolvedInput | UnresolvableInput>;
}

const NAME = 'simulated-node';

type Part = Pick<
  NodeContext,
  'name' | 'partitions' | 'store' | 'loop' | 'blobs' | 'log' | 'triggers'
>;

/** The real engine and commit loop on a store in memory, with a clock that stands still. */
export function virtualNode(params: {
  time: VirtualTime;
  seed: number;
  release: (effects: readonly Effect[]) => void;
  onFatal: (error: unknown) => void;
}): VirtualNode {
  const { time } = params;
  const startMs = time.nowMs;
  const store = createMemoryStore({ now: () => time.nowMs, leaseMsMax: NEVER_MS });
  const settings = { heartbeatMs: NEVER_MS, silentMs: NEVER_MS, horizonMs: NEVER_MS };
  const engine = new Engine(settings, zoneOf, graphPorts());
  // Real timers are set in steps of an hour; a virtual one goes straight to what is due next.
  const stretched = (ms: number): number =>
    ms < HOUR_MS ? ms : Math.max(ms, (engine.nextWakeAt() ?? NEVER_MS) - time.nowMs);
  // Nothing is printed into the output of a test; what fails shows in the runs.
  const log = makeLog({ level: 'silent', format: 'json' });
  const watches = watchDefinitions({ store, loop: () => loop, log });
  const triggers: Triggers = { ...watches, count: () => {} };
  const loop: CommitLoop = new CommitLoop({
    engine,
    store,
    ports: {
      monotonicMs: () => time.nowMs - startMs,
      after: (ms, callback) => time.after(stretched(ms), callback),
      defer: (callback) => void time.after(0, callback),
      random: seededRandom(params.seed),
      release: params.release,
      follow: completionTriggers({
        triggers: watches.watch.index,
        subscriptions: watches.subscriptions.index,
        partitions: () => PARTITIONS,
        now: () => loop.time.now(),
        count: triggers.count,
        log,
      }),
    },
    settings: {
      partitions: PARTITIONS,
      leaseMs: NEVER_MS,
      beatMs: NEVER_MS / 2,
      inboxPollMs: NEVER_MS,
      schedulePollMs: NEVER_MS,
    },
    node: { name: NAME, address: '' },
    onFatal: params.onFatal,
  });
  const blobs = memoryBlobs();
  // What simulated operations use of a node; the rest has no part in a simulation.
  const part: Part = { name: NAME, partitions: PARTITIONS, store, loop, blobs, triggers, log };
  const context = part as Part & NodeContext;
  const payload = async (kept: Uint8Array): Promise<Uint8Array> => {
    const ref = decodeBlobRef(kept);
    return (ref && (await blobs.get('', ref.name))) ?? kept;
  };
  const resolver = new InputResolver(blobs);
  return {
    context,
    loop,
    payload,
    keep: async (bytes) => encodeBlobRef(await blobs.put('', bytes)),
    nested: new NestedRuns(() => context, resolver),
    supply: async (task) => resolver.resolve(task),
  };
}

function memoryBlobs(): BlobStore {
  const kept = new Map<string, Uint8Array>();
  return {
    put: async (_tenant, bytes) => {
      const name = `blob-${kept.size}`;
      kept.set(name, bytes);
      return { name, bytes: bytes.length, sha256: crypto.hash('sha256', bytes, 'hex') };
    },
    get: async (_tenant, name) => kept.get(name) ?? null,
    collect: async () => 0,
  };
}
