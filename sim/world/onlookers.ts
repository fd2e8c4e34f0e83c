import { type Answer, formatRunId, parseRunId, type RunId } from '@signalbox/engine';
import { ApiError } from '@signalbox/node/context';
import { executeOnRun, type RunView, readRun } from '@signalbox/node/loop';
import { getRun, listRuns, retryRun, runInput } from '@signalbox/node/operations';
import type { RunView as ShownRun } from '@signalbox/protocol';
import type { Seen } from '../history.ts';
import { MISFITS } from './catalogue.ts';
import type { ClientLine } from './client-line.ts';
import { callerOf } from './front-door.ts';
import type { NodeProcess } from './node.ts';
import { chance, pick } from './streams.ts';
import type { Known } from './submitters.ts';
import type { World } from './world.ts';

/** How far a node may lag that reads another's partition from the journal, with its own reading. */
const LAG_MS = 1_000;

interface Question {
  readonly tenant: string;
  readonly id: RunId;
}

/** Clients that look at runs, list them, cancel them, retry them and move them between classes. */
export class Onlookers {
  readonly #world: World;
  readonly #line: ClientLine;
  readonly #known: readonly Known[];
  #readEveryMs = 2_000;

  constructor(world: World, line: ClientLine, known: readonly Known[]) {
    this.#world = world;
    this.#line = line;
    this.#known = known;
  }

  begin(): void {
    this.#commandNext();
    this.#readNext();
    const { retryEveryMs, misfitShare } = this.#world.options.wild;
    if (retryEveryMs > 0) this.#retryNext(retryEveryMs);
    if (misfitShare > 0) this.#cancelMisfits();
    if (this.#world.options.wild.ages !== null) this.#readInputNext();
  }

  /** Reads twenty times as often, for worlds that look at readers. */
  readEagerly(): void {
    this.#readEveryMs /= 20;
  }

  #commandNext(): void {
    this.#line.every(8_000, () => {
      this.#commandNext();
      const known = this.#drawKnown(40);
      const id = known === null ? null : parseRunId(known.name);
      if (known !== null && id !== null) this.#command({ tenant: known.tenant, id });
    });
  }

  #drawKnown(recent: number): Known | null {
    const from = this.#known.slice(-recent);
    return from.length === 0 ? null : pick(this.#line.dice, from);
  }

  #command({ tenant, id }: Question, cancels = false): void {
    const { dice } = this.#line;
    const node = this.#line.ownerOf(id.partition);
    if (node === null) return;
    const { partition, seq } = id;
    const of = { partition, seq, by: 'sim', reason: 'drawn' };
    const command =
      cancels || chance(dice, 0.6)
        ? ({ kind: 'cancel', ...of } as const)
        : ({ kind: 'changeClass', class: dice.int(3) as 0 | 1 | 2, ...of } as const);
    const execute = async (): Promise<Answer | null> => {
      if (node.process === null) return null;
      const { loop, store } = node.process;
      return executeOnRun({ loop, store, tenant, id, command });
    };
    this.#line.ask(node, execute, (answer) => {
      if (answer?.kind !== 'done' || command.kind !== 'cancel') return;
      this.#world.history.add({ kind: 'cancel.ok', tenant, id });
    });
  }

  /** Somebody tires of waiting for what never fits; some of it stays. */
  #cancelMisfits(): void {
    this.#line.every(30_000, () => {
      this.#cancelMisfits();
      const misfits = this.#known.filter(({ job }) => MISFITS.some(({ name }) => name === job));
      for (const { tenant, name } of misfits.slice(-60)) {
        const id = parseRunId(name);
        if (id !== null && chance(this.#line.dice, 0.4)) this.#command({ tenant, id }, true);
      }
    });
  }

  #retryNext(everyMs: number): void {
    this.#line.every(everyMs, () => {
      this.#retryNext(everyMs);
      const known = this.#drawKnown(60);
      const id = known === null ? null : parseRunId(known.name);
      if (known !== null && id !== null) this.#retry({ tenant: known.tenant, id });
    });
  }

  #retry({ tenant, id }: Question): void {
    const node = this.#line.ownerOf(id.partition);
    if (node === null) return;
    const invokedAt = this.#world.clockwork.now;
    const retry = async () => {
      if (node.process === null) return null;
      return retryRun(node.process.front, callerOf(tenant), { id: formatRunId(id) });
    };
    this.#line.ask(node, retry, (submitted) => {
      const run = submitted === null ? null : parseRunId(submitted.id);
      if (submitted === null || run === null) return;
      const duplicate = !submitted.created;
      this.#world.coverage.sometimes('run retried');
      this.#world.history.add({ kind: 'retry.ok', invokedAt, tenant, of: id, id: run, duplicate });
    });
  }

  #readNext(): void {
    this.#line.every(this.#readEveryMs, () => {
      this.#readNext();
      if (this.#known.length === 0) return;
      const recent = chance(this.#line.dice, 0.8) ? this.#known.slice(-20) : this.#known;
      const known = pick(this.#line.dice, recent);
      const id = parseRunId(known.name);
      if (chance(this.#line.dice, 0.15)) this.#list(known.tenant);
      else if (id === null) this.#readAlias(known);
      else this.#read({ tenant: known.tenant, id });
    });
  }

  #read({ tenant, id }: Question): void {
    const node = this.#line.ownerOf(id.partition);
    const invokedAt = this.#world.clockwork.now;
    if (node === null) return this.#list(tenant);
    const read = async () => {
      if (node.process === null) return 'not_owner';
      const { loop, store } = node.process;
      const view = await readRun({ loop, store, tenant, id });
      return view === 'not_owner' ? view : { view };
    };
    this.#line.ask(node, read, (answer) => {
      if (answer === null || answer === 'not_owner') return;
      const view = answer.view && seen(answer.view);
      this.#world.history.add({ kind: 'read.ok', invokedAt, tenant, id, view, stale: false });
    });
  }

  /** Inputs that rest as blobs, of runs however old. */
  #readInputNext(): void {
    this.#line.every(3_000, () => {
      this.#readInputNext();
      const blobs = this.#known.filter(({ isBlob }) => isBlob);
      const known = blobs.length === 0 ? null : pick(this.#line.dice, blobs);
      const id = known === null ? null : parseRunId(known.name);
      if (known !== null && id !== null) this.#readInput(known, id);
    });
  }

  #readInput({ tenant, op, name }: Known, id: RunId): void {
    const node = this.#line.anyNode();
    if (node === null) return;
    const invokedAt = this.#world.clockwork.now;
    const read = async () => {
      if (node.process === null) throw GONE;
      try {
        const input = await runInput(node.process.front, callerOf(tenant), { id: name });
        return { bytes: input.length };
      } catch (error) {
        if (error instanceof ApiError && error.code === 'not_found') return { bytes: null };
        throw error;
      }
    };
    this.#line.ask(node, read, (answer) => {
      if (answer === null) return;
      const isOld = this.#world.disk.soonMs - id.ms > 86_400_000;
      if (isOld && answer.bytes !== null) this.#world.coverage.sometimes('blob of an old run read');
      this.#world.history.add({ kind: 'input.read', op, id, invokedAt, bytes: answer.bytes });
    });
  }

  /** What the inbox acknowledged is found under the name that it gave, on any node. */
  #readAlias({ tenant, op, name: alias }: Known): void {
    const node = this.#line.anyNode();
    if (node === null) return;
    const read = async (): Promise<RunId | 'waiting' | null> => {
      if (node.process === null) throw GONE;
      try {
        const view = await getRun(node.process.front, callerOf(tenant), { id: alias });
        return parseRunId(view.id) ?? 'waiting';
      } catch (error) {
        if (error instanceof ApiError && error.code === 'not_found') return null;
        throw error;
      }
    };
    this.#line.ask(
      node,
      async () => ({ found: await read() }),
      (answer) => {
        if (answer === null) return;
        this.#world.coverage.sometimes('alias looked up');
        this.#world.history.add({ kind: 'alias.read', op, alias, found: answer.found });
      },
    );
  }

  /** The newest runs of a tenant as any node lists them. */
  #list(tenant: string): void {
    const node = this.#line.anyNode();
    if (node === null) return;
    const invokedAt = this.#world.clockwork.now;
    const list = async () => {
      if (node.process === null) throw GONE;
      const { process } = node;
      const { items } = await listRuns(process.front, callerOf(tenant), { limit: 8 });
      return items.map((item) => ({ item, isOwn: isOwn(process, item) }));
    };
    this.#line.ask(node, list, (items) => {
      for (const { item, isOwn } of items ?? []) this.#listed(tenant, { item, isOwn, invokedAt });
      if (items !== null) this.#world.coverage.sometimes('list read');
    });
  }

  #listed(
    tenant: string,
    { item, isOwn, invokedAt }: { item: ShownRun; isOwn: boolean; invokedAt: number },
  ): void {
    const id = parseRunId(item.id) as RunId;
    const endedAtMs = item.endedAt === null ? null : Date.parse(item.endedAt);
    const view: Seen = { state: item.state, endedAtMs, tasks: [] };
    const lag = isOwn ? {} : { lagMs: LAG_MS };
    const read = { invokedAt, tenant, id, view, stale: false, ...lag };
    this.#world.history.add({ kind: 'read.ok', ...read });
  }
}

const GONE = new ApiError('unavailable', 'the node is gone');

function isOwn({ loop }: NodeProcess, { id }: ShownRun): boolean {
  return loop.owns((parseRunId(id) as RunId).partition);
}

function seen({ state, endedAtMs, tasks }: RunView): Seen {
  return {
    state,
    endedAtMs,
    tasks: tasks.map((task) => {
      const live = task.attempts.at(-1)?.outcome === '' ? 1 : 0;
      return { state: task.state, ended: task.attempts.length - live, live };
    }),
  };
}
