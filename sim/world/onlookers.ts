import type { Answer, RunId } from '@signalbox/engine';
import { executeOnRun, type RunView, readRun } from '@signalbox/node/loop';
import { StoreError } from '@signalbox/store';
import type { Seen } from '../history.ts';
import type { ClientLine } from './client-line.ts';
import { chance, pick } from './streams.ts';
import type { World } from './world.ts';

type Known = readonly { readonly tenant: string; readonly id: RunId }[];

/** Clients that look at runs, cancel them and move them between classes. */
export class Onlookers {
  readonly #world: World;
  readonly #line: ClientLine;
  readonly #known: Known;
  #readEveryMs = 2_000;

  constructor(world: World, line: ClientLine, known: Known) {
    this.#world = world;
    this.#line = line;
    this.#known = known;
  }

  begin(): void {
    this.#commandNext();
    this.#readNext();
  }

  /** Reads twenty times as often, for worlds that look at readers. */
  readEagerly(): void {
    this.#readEveryMs /= 20;
  }

  #commandNext(): void {
    this.#line.every(8_000, () => {
      this.#commandNext();
      const recent = this.#known.slice(-40);
      if (recent.length > 0) this.#command(pick(this.#line.dice, recent));
    });
  }

  #command({ tenant, id }: Known[number]): void {
    const { dice } = this.#line;
    const node = this.#line.ownerOf(id.partition);
    if (node === null) return;
    const { partition, seq } = id;
    const of = { partition, seq, by: 'sim', reason: 'drawn' };
    const command = chance(dice, 0.6)
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

  #readNext(): void {
    this.#line.every(this.#readEveryMs, () => {
      this.#readNext();
      if (this.#known.length === 0) return;
      const recent = chance(this.#line.dice, 0.8) ? this.#known.slice(-20) : this.#known;
      this.#read(pick(this.#line.dice, recent));
    });
  }

  #read({ tenant, id }: Known[number]): void {
    const node = this.#line.ownerOf(id.partition);
    const invokedAt = this.#world.clockwork.now;
    if (node === null || chance(this.#line.dice, 0.1)) return void this.#list(tenant, invokedAt);
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

  /** From a listing, which may lag: it may not know an end yet, but what it knows is so. */
  async #list(tenant: string, invokedAt: number): Promise<void> {
    try {
      const stored = await this.#line.store.listRuns({ tenant, before: null, limit: 5 });
      for (const { run, end } of stored) {
        if (end === null) continue;
        const view = { state: end.state as RunView['state'], endedAtMs: end.endedAtMs, tasks: [] };
        const read = { invokedAt, tenant, id: run.id, view, stale: true };
        this.#world.history.add({ kind: 'read.ok', ...read });
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }
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
