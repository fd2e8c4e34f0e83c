import type { Addition, Effect, GraphPorts } from '@signalbox/engine';
import type { NestedRuns } from '@signalbox/node/graph';
import type { CommitLoop } from '@signalbox/node/loop';
import type { Actor, Clockwork } from './clockwork.ts';
import { between, chance, type Dice } from './streams.ts';

const decoder = new TextDecoder();

/** Conditions are words here, and the outputs of `grows` say how many tasks they add. */
export const GRAPH_PORTS: GraphPorts = {
  judge: (expression, { event }) => {
    if (expression !== 'even' || event === undefined) return { value: expression === 'yes' };
    return { value: (JSON.parse(decoder.decode(event)) as { n: number }).n % 2 === 0 };
  },
  reads: () => ({ input: false, tasks: false }),
  readAddition(_spec, output): Addition {
    const { adds } = JSON.parse(decoder.decode(output)) as { adds: number };
    const names = Array.from({ length: adds }, (_, i) => `more${i}`);
    const tasks = names.map((name, i) => ({ name, after: i === 0 ? ['plan'] : [`more${i - 1}`] }));
    return { tasks, edges: [{ from: names.at(-1) as string, to: 'end' }] };
  },
};

/**
 * What a node does for graphs beside handing out attempts: nested runs are started, somebody is
 * told, and whoever is told that a run was paused resumes it, or cancels one that was rejected. All of
 * it dies with the node.
 */
export class GraphShell {
  readonly #loop: CommitLoop;
  readonly #clockwork: Clockwork;
  readonly #actor: Actor;
  readonly #dice: Dice;
  readonly #nested: NestedRuns;

  constructor(params: {
    loop: CommitLoop;
    nested: NestedRuns;
    clockwork: Clockwork;
    actor: Actor;
    dice: Dice;
  }) {
    this.#loop = params.loop;
    this.#clockwork = params.clockwork;
    this.#actor = params.actor;
    this.#dice = params.dice;
    this.#nested = params.nested;
  }

  release(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'startRun') this.#later(() => this.#nested.start(effect));
      else if (effect.kind === 'notify') this.#later(() => this.#told(effect));
    }
  }

  async #told({ partition, seq, notification }: Effect & { kind: 'notify' }): Promise<void> {
    if (notification.on === 'alert') {
      const of = { partition, seq, by: 'operator' };
      // Nobody who was asked will ever say yes here: asked again and again the run would never end.
      const isGivenUp =
        /: (rejected|nobody decided)/.test(notification.detail) && chance(this.#dice, 0.7);
      const resumed = await this.#loop.execute(
        isGivenUp
          ? { kind: 'cancel', ...of, reason: notification.detail }
          : { kind: 'resumeRun', ...of, fanOutMax: 0 },
      );
      // Not known to have happened: it stays open, and comes again with the next owner.
      const isSure =
        resumed.kind === 'done' || (resumed.kind === 'refused' && resumed.code === 'not_found');
      if (!isSure)
        return this.#later(() => this.#told({ kind: 'notify', partition, seq, notification }));
    }
    const { id } = notification;
    const done = await this.#loop.execute({ kind: 'notified', partition, id, delivered: true });
    if (done.kind !== 'done')
      this.#later(() => this.#told({ kind: 'notify', partition, seq, notification }));
  }

  #later(work: () => unknown): void {
    this.#clockwork.after(between(this.#dice, 100, 9_000), this.#actor, () => void work());
  }
}
