import {
  formatRunId,
  isTerminalRun,
  parseRunId,
  type RunId,
  type RunState,
} from '@signalbox/engine';
import { ApiError } from '@signalbox/node/context';
import { watchRun, watchTenant } from '@signalbox/node/operations';
import { StoreError } from '@signalbox/store';
import type { OpenStream, StreamLog, StreamMessage } from '../stream-log.ts';
import { Actor, type SimEvent } from './clockwork.ts';
import { callerOf } from './front-door.ts';
import type { NodeProcess, SimNode } from './node.ts';
import { between, chance, type Dice, exponential, pick } from './streams.ts';
import type { World } from './world.ts';

const LOOK_MS = 1_000;
const RUN_CONNECTIONS_MAX = 6;
const GAP_MS = 0.001;

/** What is looked at of an event, and of the state of a run. */
interface Shown {
  readonly run?: string;
  readonly state?: RunState;
}

interface Connection {
  readonly node: SimNode;
  readonly process: NodeProcess;
  readonly sinceMs: number;
  isOpen: boolean;
  /** Characters on their way. */
  buffered: number;
  lastAt: number;
  text: string;
  close: () => void;
  drained: (() => void)[];
}

/** Clients of event streams: each watches a tenant or a run, is cut off, and resumes on any node. */
export class StreamWatchers {
  readonly #logs: StreamLog[] = [];
  readonly #watchers: Watcher[] = [];
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  begin(): void {
    const { streams, options } = this.#world;
    for (let i = 0; i < options.wild.watchers; i++) {
      const dice = streams.of(`watchers/${i}`);
      const watcher = new Watcher(
        { world: this.#world, dice, name: `s${i}`, of: i % 2 === 0 ? 'tenant' : 'run' },
        this.#logs,
      );
      this.#watchers.push(watcher);
      watcher.next();
    }
  }

  /** From now on no client leaves: each stays connected until the end of the world. */
  stay(): void {
    for (const watcher of this.#watchers) watcher.stay();
  }

  logsAtEnd(): StreamLog[] {
    const open = new Map(this.#watchers.map((watcher) => [watcher.log, watcher.openStream]));
    return this.#logs.map((log) => ({ ...log, open: open.get(log) ?? null }));
  }
}

class Watcher {
  readonly #world: World;
  readonly #dice: Dice;
  readonly #name: string;
  readonly #of: 'tenant' | 'run';
  readonly #actor: Actor;
  readonly #logs: StreamLog[];
  #stays = false;
  #planned: SimEvent | null = null;
  #connection: Connection | null = null;
  #log: StreamLog | null = null;
  #connections = 0;
  #lastEventId: string | null = null;

  constructor(
    params: { world: World; dice: Dice; name: string; of: 'tenant' | 'run' },
    logs: StreamLog[],
  ) {
    this.#world = params.world;
    this.#dice = params.dice;
    this.#name = params.name;
    this.#of = params.of;
    this.#actor = new Actor(params.name, true);
    this.#logs = logs;
  }

  get log(): StreamLog | null {
    return this.#log;
  }

  get openStream(): OpenStream | null {
    if (this.#connection?.isOpen !== true) return null;
    const { process, sinceMs } = this.#connection;
    return { node: process.owner, sinceMs, untilMs: this.#world.clockwork.now };
  }

  stay(): void {
    this.#stays = true;
    if (this.#planned === null) return;
    this.#world.clockwork.cancel(this.#planned);
    this.next();
  }

  /** Mostly at once, now and then long after it was cut off. */
  next(): void {
    const meanMs = this.#stays || chance(this.#dice, 0.8) ? 1_000 : 60_000;
    this.#planned = this.#world.clockwork.after(
      exponential(this.#dice, meanMs),
      this.#actor,
      () => {
        this.#planned = null;
        this.#connect();
      },
    );
  }

  #connect(): void {
    const node = pick(this.#dice, this.#world.nodes);
    const { process } = node;
    if (this.#isToChoose()) this.#choose();
    if (process === null || !process.isReady || this.#log === null) return this.next();
    const log = this.#log;
    this.#connections++;
    const { clockwork } = this.#world;
    const connection: Connection = {
      node,
      process,
      sinceMs: clockwork.now,
      isOpen: true,
      buffered: 0,
      lastAt: 0,
      text: '',
      close: () => {},
      drained: [],
    };
    if (this.#lastEventId !== null) {
      log.messages.push({ id: this.#lastEventId, kind: 'resumed', run: null });
      this.#world.coverage.sometimes('stream resumed');
    }
    this.#connection = connection;
    clockwork.deliver(clockwork.now + between(this.#dice, 0.5, 8), node.actor, () => {
      if (node.process === process && connection.isOpen) void this.#open(connection, log);
    });
    const cutAt = clockwork.now + exponential(this.#dice, 60_000);
    this.#look(connection, cutAt);
  }

  #isToChoose(): boolean {
    if (this.#log === null) return true;
    if (this.#stays) return false;
    const isOver = this.#of === 'run' && this.#connections >= RUN_CONNECTIONS_MAX;
    return isOver || chance(this.#dice, 0.05);
  }

  /** Something else from now on, without what was seen before. */
  #choose(): void {
    this.#connections = 0;
    this.#lastEventId = null;
    this.#log = null;
    const { catalogue, clients } = this.#world;
    let run: RunId | null = null;
    let { tenant } = pick(this.#dice, catalogue.tenants);
    if (this.#of === 'run') {
      const recent = clients.submitters.known.slice(-10);
      const known = recent.length === 0 ? null : pick(this.#dice, recent);
      run = known === null ? null : parseRunId(known.name);
      if (known === null || run === null) return;
      tenant = known.tenant;
    }
    this.#log = { watcher: this.#name, tenant, run, messages: [], open: null };
    this.#logs.push(this.#log);
  }

  async #open(connection: Connection, log: StreamLog): Promise<void> {
    const { process, node } = connection;
    const caller = callerOf(log.tenant);
    const sink = this.#sinkOf(connection);
    const resume = this.#lastEventId === null ? {} : { lastEventId: this.#lastEventId };
    try {
      const id = log.run;
      const stream =
        id === null
          ? await watchTenant(process.front, caller, { ...resume, sink })
          : await watchRun(process.front, caller, {
              ...resume,
              id: formatRunId(id),
              sink: () => sink,
            });
      if (!connection.isOpen) return stream.close();
      connection.close = () => stream.close();
      this.#world.coverage.sometimes(id === null ? 'tenant stream watched' : 'run stream watched');
    } catch (error) {
      connection.isOpen = false;
      if (error instanceof StoreError || error instanceof ApiError) return;
      this.#world.broken(node, error);
    }
  }

  #sinkOf(connection: Connection) {
    const { clockwork } = this.#world;
    return {
      get bufferedBytes() {
        return connection.buffered;
      },
      get isGone() {
        return !connection.isOpen;
      },
      write: (text: string) => {
        if (!connection.isOpen) return;
        connection.buffered += text.length;
        // Never at the same time as the one before: equal times come in any order.
        const at = Math.max(
          connection.lastAt + GAP_MS,
          clockwork.now + between(this.#dice, 0.5, 40),
        );
        connection.lastAt = at;
        clockwork.deliver(at, this.#actor, () => {
          connection.buffered -= text.length;
          if (connection.isOpen) this.#receive(connection, text);
          if (connection.buffered === 0) for (const go of connection.drained.splice(0)) go();
        });
      },
      drained: () => {
        if (connection.buffered === 0 || !connection.isOpen) return Promise.resolve();
        return new Promise<void>((resolve) => connection.drained.push(resolve));
      },
      // What was written before arrives before the end does.
      close: () => {
        const at = Math.max(connection.lastAt + GAP_MS, clockwork.now + 1);
        clockwork.deliver(at, this.#actor, () => {
          connection.isOpen = false;
        });
      },
    };
  }

  /** The connection is looked at now and then: it ends with its node, or because the client leaves. */
  #look(connection: Connection, cutAt: number): void {
    const { clockwork, coverage } = this.#world;
    clockwork.after(LOOK_MS, this.#actor, () => {
      const isDead = connection.node.process !== connection.process;
      const isCut = clockwork.now >= cutAt && !this.#stays;
      if (connection.isOpen && !isDead && !isCut) return this.#look(connection, cutAt);
      if (connection.isOpen) coverage.sometimes('stream cut');
      connection.isOpen = false;
      for (const go of connection.drained.splice(0)) go();
      if (!isDead) connection.close();
      const { watcher, messages } = this.#log ?? { watcher: this.#name, messages: [] };
      const last = this.#lastEventId;
      this.#world.history.add({ kind: 'stream.cut', watcher, messages: messages.length, last });
      // The stream of a run that has ended is over, and no other run is chosen any more.
      if (!this.#stays || messages.at(-1)?.kind !== 'end') this.next();
    });
  }

  #receive(connection: Connection, text: string): void {
    connection.text += text;
    const parts = connection.text.split('\n\n');
    connection.text = parts.pop() ?? '';
    for (const part of parts) this.#take(part);
  }

  #take(part: string): void {
    const fields = new Map(part.split('\n').map((line) => split(line)));
    const id = fields.get('id') ?? null;
    if (id !== null) this.#lastEventId = id;
    const name = fields.get('event');
    const data = fields.get('data');
    const kind = kindOf(name);
    const isJson = kind === 'event' || kind === 'state';
    const shown = isJson ? (JSON.parse(data ?? '{}') as Shown) : {};
    const isOver = kind === 'state' && isTerminalRun(shown.state ?? 'PENDING');
    if (kind === 'reset') this.#world.coverage.sometimes('stream reset');
    const run = kind === 'event' ? (shown.run ?? null) : null;
    this.#log?.messages.push({ id, kind, run, ...(isOver ? { isOver } : {}) });
    if (kind === 'end') this.#connections = RUN_CONNECTIONS_MAX;
  }
}

function split(line: string): [string, string] {
  const at = line.indexOf(':');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1).trimStart()];
}

function kindOf(name: string | undefined): StreamMessage['kind'] {
  switch (name) {
    case undefined:
      return 'idle';
    case 'reset':
    case 'state':
    case 'end':
    case 'log':
      return name;
    default:
      return 'event';
  }
}
