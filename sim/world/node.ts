import { type Effect, Engine } from '@signalbox/engine';
import type { NodeContext } from '@signalbox/node/context';
import { RunFeed } from '@signalbox/node/feed';
import { InputResolver, NestedRuns } from '@signalbox/node/graph';
import { CommitLoop, type LoopEvent, type LoopPorts } from '@signalbox/node/loop';
import { renewPayload } from '@signalbox/node/operations';
import { type RetentionClocks, readJournalTime } from '@signalbox/node/retention';
import { zoneOf } from '@signalbox/node/zones';
import { type Store, StoreError } from '@signalbox/store';
import { Actor, type SimEvent } from './clockwork.ts';
import { follow } from './followers.ts';
import { frontDoor } from './front-door.ts';
import { Gateway } from './gateway.ts';
import { GRAPH_PORTS, GraphShell } from './graph-shell.ts';
import { goodWay, StoreDoor, type StoreWay } from './store-door.ts';
import { between } from './streams.ts';
import { Watch } from './watch.ts';
import type { World } from './world.ts';

type StreamTimers = NonNullable<NodeContext['timers']>;

/** One start of a scheduler process, from its first beat until it crashes or stops. */
export interface NodeProcess {
  readonly owner: string;
  readonly loop: CommitLoop;
  readonly gateway: Gateway;
  /** The store as this process sees it. */
  readonly store: Store;
  /** What its operations work on. */
  readonly front: NodeContext;
  readonly watch: Watch;
  /** It knows the store's time, and so it takes requests. */
  isReady: boolean;
  /** What the journal knew of the time when it started; null where that was not asked. */
  journal: RetentionClocks['journal'];
}

/** A place where scheduler processes run, one after the other. */
export class SimNode {
  readonly index: number;
  readonly actor: Actor;
  readonly way: StoreWay = goodWay();
  process: NodeProcess | null = null;
  /** How wrong its calendar clock is. */
  calendarOffMs = 0;
  readonly #world: World;
  readonly #offsetMs: number;
  /** Its quartz is off by up to 500 ppm. */
  readonly #drift: number;
  #starts = 0;

  constructor(world: World, index: number) {
    this.#world = world;
    this.index = index;
    this.actor = new Actor(`n${index}`, true);
    const dice = world.streams.of('clocks');
    this.#offsetMs = between(dice, 0, 1e9);
    this.#drift = 1 + between(dice, -5e-4, 5e-4);
  }

  /** The calendar clock of its machine, which nothing decides by. */
  get calendarMs(): number {
    return this.#world.disk.soonMs + this.calendarOffMs;
  }

  start(): void {
    if (this.process !== null) return;
    const world = this.#world;
    // New with every start: a lease is never inherited by name.
    const owner = `n${this.index}.${++this.#starts}`;
    const { clockwork, coverage, history, disk } = world;
    const door = new StoreDoor({
      disk: world.sabotage.store?.(disk.store, world) ?? disk.store,
      clockwork,
      caller: this.actor,
      desk: world.desk,
      way: this.way,
      dice: world.streams.of('store'),
      coverage,
    });
    const engine = new Engine(world.options.engine, zoneOf, GRAPH_PORTS);
    world.sabotage.engine?.(engine, world);
    const watch = new Watch(() => clockwork.now);
    world.watches.set(owner, watch);
    watch.observe(engine);
    this.#observe(engine);
    let gateway: Gateway | null = null;
    let shell: GraphShell | null = null;
    const store = world.sabotage.door?.(door.store, world, this) ?? door.store;
    const blobs = world.blobs.seenBy(() => Math.max(this.calendarMs, loop.time.now()));
    const renew = (tenant: string, payload: Uint8Array): Promise<Uint8Array> =>
      renewPayload({ blobs, loop }, tenant, payload);
    const feed =
      world.options.wild.watchers === 0
        ? null
        : new RunFeed({ loop: () => loop, store: () => store });
    const ports = this.#ports({ owner, feed, renewPayload: renew }, (effects) => {
      gateway?.release(effects);
      shell?.release(effects);
    });
    const loop = new CommitLoop({
      engine,
      store,
      ports: world.sabotage.ports?.(ports, world) ?? ports,
      settings: { ...world.options.loop, partitions: world.options.partitions },
      node: { name: owner, address: owner },
      onFatal: (error) => this.#fatal(owner, error),
    });
    const { confirmed } = world;
    const onUncarried = world.options.wild.edges
      ? (error: unknown) => world.broken(this, error)
      : null;
    gateway = new Gateway({ node: owner, loop, history, coverage, confirmed, onUncarried });
    const dice = world.streams.of(`graphs/${owner}`);
    const front = frontDoor(world, {
      name: owner,
      loop,
      store,
      blobs,
      feed,
      timers: this.#timers(),
    });
    const nested = new NestedRuns(() => front, new InputResolver(blobs));
    shell = new GraphShell({ loop, nested, clockwork, actor: this.actor, dice });
    const process: NodeProcess = {
      owner,
      loop,
      gateway,
      store,
      front,
      watch,
      isReady: false,
      journal: null,
    };
    this.process = process;
    history.add({ kind: 'node.up', node: owner });
    world.sabotage.loop?.(loop, world);
    watch.follow(loop);
    for (const tenant of world.catalogue.tenants) {
      loop.report({ kind: 'setTenant', ...tenant });
    }
    if (world.options.follows) {
      loop.follow(new Set(world.catalogue.tenants.map(({ tenant }) => tenant)));
    }
    void this.#begin(process);
  }

  /** The journal is asked for the time before anything is taken over, as in production. */
  async #begin(process: NodeProcess): Promise<void> {
    const { loop, store } = process;
    while (this.#world.options.wild.ages !== null && process.journal === null) {
      try {
        process.journal = await readJournalTime(store, loop.time.monotonic());
        break;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
      }
    }
    await loop.start();
    process.isReady = true;
  }

  /** Memory is gone; what was on its way stays on its way. */
  crash(): void {
    if (this.process === null) return;
    const { owner, loop } = this.process;
    this.process = null;
    loop.halt();
    this.#world.clockwork.crash(this.actor);
    this.#world.history.add({ kind: 'node.down', node: owner });
    this.#world.nodeDown(this);
  }

  /** In good order: leases are given back, then the process ends. */
  async stop(): Promise<void> {
    const { process } = this;
    if (process === null) return;
    await process.loop.stop();
    if (this.process === process) this.crash();
  }

  #ports(
    parts: {
      owner: string;
      feed: RunFeed | null;
      renewPayload: NonNullable<LoopPorts['renewPayload']>;
    },
    release: (effects: readonly Effect[]) => void,
  ): LoopPorts {
    const { owner, feed, renewPayload } = parts;
    const { clockwork, streams } = this.#world;
    return {
      monotonicMs: () => this.#offsetMs + clockwork.now * this.#drift,
      after: (ms, callback) => {
        const event = clockwork.after(ms / this.#drift, this.actor, callback);
        return () => clockwork.cancel(event);
      },
      defer: (callback) => {
        clockwork.after(0, this.actor, callback);
      },
      random: streams.of(`engine/${owner}`),
      release,
      renewPayload,
      follow: (end) => follow(this.#world, end),
      ...(feed === null
        ? {}
        : {
            published: (partition, facts, seq) => feed.published(partition, facts, seq),
          }),
      observe: (event) => {
        feed?.observe(event);
        this.#seen(owner, event);
      },
    };
  }

  /** Of this process alone: what it has planned ends with it. */
  #timers(): StreamTimers {
    const { clockwork } = this.#world;
    const { actor } = this;
    const { generation } = actor;
    const after = (ms: number, callback: () => void): SimEvent | null =>
      actor.generation === generation ? clockwork.after(ms, actor, callback) : null;
    const cancel = (event: SimEvent | null): void => {
      if (event !== null) clockwork.cancel(event);
    };
    return {
      soon: (callback) => void after(0, callback),
      every: (ms, callback) => {
        let event: SimEvent | null = null;
        const plan = (): void => {
          event = after(ms, () => {
            plan();
            callback();
          });
        };
        plan();
        return () => cancel(event);
      },
      wait: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal.aborted) return reject(signal.reason);
          const event = after(ms, resolve);
          signal.addEventListener('abort', () => {
            cancel(event);
            reject(signal.reason);
          });
        }),
    };
  }

  #seen(owner: string, event: LoopEvent): void {
    const { history, coverage } = this.#world;
    const toReference = (ms: number) => (ms - this.#offsetMs) / this.#drift;
    switch (event.kind) {
      case 'leaseAcquired': {
        const { partition, epoch } = event;
        const trustedUntil = toReference(event.trustedUntilMs);
        history.add({ kind: 'lease.acquired', node: owner, partition, epoch, trustedUntil });
        return;
      }
      case 'leaseRenewed': {
        if (event.partitions.length === 0) return;
        const { partitions } = event;
        const trustedUntil = toReference(event.trustedUntilMs);
        history.add({ kind: 'lease.renewed', node: owner, partitions, trustedUntil });
        return;
      }
      case 'leaseLost':
        history.add({ ...event, kind: 'lease.lost', node: owner });
        return;
      case 'storeBack':
        return coverage.sometimes('store away and back');
      case 'paused':
        if (event.fromClass === 2) coverage.sometimes('P2 paused by slow store');
        return;
      case 'groupRefused':
        return coverage.sometimes('partition given up');
      case 'keyTaken':
        return coverage.sometimes('key refused by the store');
      default:
    }
  }

  /** Some moments leave no fact and no event; they are seen by looking over the engine's shoulder. */
  #observe(engine: Engine): void {
    const { coverage } = this.#world;
    const apply = engine.apply.bind(engine);
    engine.apply = (command, now, random) => {
      if (command.kind === 'freshen') coverage.sometimes('mass freshen');
      const answer = apply(command, now, random);
      if (command.kind === 'cancelNested') {
        const isClaimed = answer.kind === 'duplicate';
        coverage.sometimes(isClaimed ? 'nested run forestalled' : 'nested run cancelled');
      }
      return answer;
    };
    const { queues } = engine.core;
    const hold = queues.hold.bind(queues);
    queues.hold = (owner) => {
      coverage.sometimes('limit held a tenant');
      hold(owner);
    };
  }

  #fatal(owner: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#world.history.add({ kind: 'fatal', node: owner, error: message });
    this.#world.stacks.push(error instanceof Error ? (error.stack ?? message) : message);
    if (this.process?.owner !== owner) return;
    // As a supervisor would: the process ends and another is started.
    this.#world.clockwork.after(0, this.#world.operator, () => {
      if (this.process?.owner === owner) this.crash();
      this.#world.clockwork.after(1_000, this.#world.operator, () => this.start());
    });
  }
}
